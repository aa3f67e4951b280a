#include "dist/group/collectives.h"

#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "dist/group/meter.h"
#include "support/errors.h"
#include "support/ranks.h"

namespace vitrain::dist {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Rank;
using testing::run_ranks;

std::int64_t as_int(const Dict& dict, const std::string& key) {
  return std::get<std::int64_t>(dict.at(key));
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

// A double whose sums depend on the order of addition.
double awkward(int rank, int entry) {
  return std::ldexp(1.0 + 0.1 * (entry + 1), 20 * ((rank * 7 + entry) % 5)) *
      (rank % 2 == 0 ? 1.0 : -0.7);
}

std::string name_of(int entry) {
  return fmt::format("metric_{}", entry);
}

// Message of the Error that `call` throws; empty when it throws none.
template <typename Call>
std::string refusal(Call&& call) {
  return error_of(ExitCode::kInternal, [&] { call(); });
}

TEST(ReduceDict, TakesTheLargestWhereAsked) {
  for (const int size : {1, 2, 3}) {
    run_ranks(size, [&](Rank& rank) {
      const Dict dict{
          {"a", std::int64_t{1}},
          {"b", std::int64_t{10 - rank.rank()}},
          {"c", std::int64_t{rank.rank() - 5}},
          {"d", 1.0}};
      const Dict reduced =
          reduce_dict(rank.control(), dict, /*average=*/false, {"b", "c"});
      EXPECT_EQ(as_int(reduced, "a"), size);
      EXPECT_EQ(as_int(reduced, "b"), 10);
      EXPECT_EQ(as_int(reduced, "c"), size - 6);
      EXPECT_EQ(as_double(reduced.at("d")), size);
    });
  }
}

TEST(ReduceDict, SumsAndAveragesOverRanks) {
  for (const int size : {1, 2, 3, 4}) {
    run_ranks(size, [&](Rank& rank) {
      const Dict dict{
          {"count", std::int64_t{rank.rank() + 1}},
          {"loss", 0.5 * (rank.rank() + 1)}};
      const double total = size * (size + 1) / 2.0;

      const Dict sums = reduce_dict(rank.control(), dict, /*average=*/false);
      EXPECT_EQ(sums.size(), 2U);
      EXPECT_EQ(as_int(sums, "count"), size * (size + 1) / 2);
      EXPECT_EQ(std::get<double>(sums.at("loss")), 0.5 * total);

      const Dict means = reduce_dict(rank.control(), dict);
      EXPECT_EQ(means.size(), 2U);
      EXPECT_EQ(std::get<double>(means.at("count")), total / size);
      EXPECT_EQ(std::get<double>(means.at("loss")), 0.5 * total / size);
    });
  }
}

TEST(ReduceDict, SumsIntegersExactlyBeyondDoublePrecision) {
  constexpr std::int64_t kOdd = (std::int64_t{1} << 53) + 1;
  run_ranks(3, [&](Rank& rank) {
    const Dict sums = reduce_dict(
        rank.control(),
        {{"big", kOdd},
         {"largest",
          rank.rank() == 0 ? std::numeric_limits<std::int64_t>::max()
                           : std::int64_t{0}},
         {"mixed", rank.rank() == 1 ? -kOdd : kOdd},
         {"lowest",
          rank.rank() == 2 ? std::numeric_limits<std::int64_t>::min()
                           : std::int64_t{0}}},
        /*average=*/false);
    EXPECT_EQ(as_int(sums, "big"), 3 * kOdd);
    EXPECT_EQ(as_int(sums, "mixed"), kOdd);
    EXPECT_EQ(
        as_int(sums, "largest"), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(as_int(sums, "lowest"), std::numeric_limits<std::int64_t>::min());
  });
}

TEST(ReduceDict, SumsDoublesInRankOrderWithEqualBitsEverywhere) {
  for (const int size : {2, 3, 4}) {
    run_ranks(size, [&](Rank& rank) {
      for (const int entries : {0, 1, 29, 30, 31, 32, 200}) {
        Dict dict;
        for (int i = 0; i < entries; ++i) {
          dict[name_of(i)] = awkward(rank.rank(), i);
        }
        const Dict sums = reduce_dict(rank.control(), dict, /*average=*/false);
        const Dict means = reduce_dict(rank.control(), dict);
        ASSERT_EQ(std::ssize(sums), entries);
        ASSERT_EQ(std::ssize(means), entries);
        for (int i = 0; i < entries; ++i) {
          double expected = awkward(0, i);
          for (int other = 1; other < size; ++other) {
            expected += awkward(other, i);
          }
          EXPECT_EQ(
              bits(std::get<double>(sums.at(name_of(i)))), bits(expected));
          EXPECT_EQ(
              bits(std::get<double>(means.at(name_of(i)))),
              bits(expected / size));
        }
      }
    });
  }
}

TEST(ReduceDict, UsesOneCollectiveUpToThirtyEntriesAndTwoBeyond) {
  for (const auto& [entries, collectives] :
       {std::pair(0, 1), std::pair(30, 1), std::pair(31, 2)}) {
    run_ranks(2, [&](Rank& rank) {
      Dict dict;
      for (int i = 0; i < entries; ++i) {
        dict[name_of(i)] = std::int64_t{i};
      }
      reduce_dict(rank.data(), dict);
      EXPECT_EQ(rank.collectives(), collectives) << entries << " entries";
    });
  }
}

TEST(ReduceDict, PassesNonFiniteValuesOn) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  run_ranks(2, [&](Rank& rank) {
    const bool first = rank.rank() == 0;
    const Dict sums = reduce_dict(
        rank.control(),
        {{"inf", first ? kInf : 1.0},
         {"nan", first ? 1.0 : std::nan("")},
         {"opposite", first ? kInf : -kInf},
         {"minus_inf", first ? 2.0 : -kInf},
         {"minus_zero", -0.0},
         {"denormal", std::numeric_limits<double>::denorm_min()},
         {"overflow", std::numeric_limits<double>::max()},
         {"plain", 1.5}},
        /*average=*/false);
    const auto get = [&](const char* key) {
      return std::get<double>(sums.at(key));
    };
    EXPECT_EQ(get("inf"), kInf);
    EXPECT_TRUE(std::isnan(get("nan")));
    EXPECT_TRUE(std::isnan(get("opposite")));
    EXPECT_EQ(get("minus_inf"), -kInf);
    EXPECT_EQ(bits(get("minus_zero")), bits(-0.0));
    EXPECT_EQ(get("denormal"), 2 * std::numeric_limits<double>::denorm_min());
    EXPECT_EQ(get("overflow"), kInf);
    EXPECT_EQ(get("plain"), 3.0);
  });
}

TEST(ReduceDict, GivesBackTheSameBitsInAGroupOfOne) {
  Group alone;
  const Dict dict{
      {"count", std::numeric_limits<std::int64_t>::min()},
      {"loss", 0.1},
      {"minus_zero", -0.0}};
  const Dict sums = reduce_dict(alone, dict, /*average=*/false);
  EXPECT_EQ(sums, dict);
  EXPECT_EQ(bits(as_double(sums.at("minus_zero"))), bits(-0.0));
  EXPECT_EQ(as_double(reduce_dict(alone, {{"n", std::int64_t{7}}}).at("n")), 7);
  EXPECT_TRUE(reduce_dict(alone, {}).empty());
}

// The dictionaries of the ranks, and a part of the expected message.
struct Mismatch {
  const char* what;
  Dict rank0;
  Dict others;
  std::vector<std::string> named;
};

std::vector<Mismatch> mismatches() {
  const std::int64_t one = 1;
  Dict many;
  for (int i = 0; i < 40; ++i) {
    many[name_of(i)] = 1.0;
  }
  Dict many_renamed = many;
  many_renamed.erase(name_of(35));
  many_renamed["renamed"] = 1.0;
  return {
      {"missing", {{"a", one}, {"b", one}}, {{"a", one}}, {"lacks [b (int)]"}},
      {"extra", {{"a", one}}, {{"a", one}, {"b", 1.0}}, {"has [b (float)]"}},
      {"other type",
       {{"a", one}},
       {{"a", 1.0}},
       {"lacks [a (int)]", "has [a (float)]"}},
      {"equal count",
       {{"a", one}, {"c", 1.0}},
       {{"a", one}, {"b", 1.0}},
       {"lacks [c (float)]", "has [b (float)]"}},
      {"nothing", {}, {{"a", one}}, {"has [a (int)]"}},
      {"more than one message",
       many,
       many_renamed,
       {"lacks [metric_35 (float)]", "has [renamed (float)]"}},
      {"more entries against few", many, {{"x", one}}, {"has [x (int)]"}},
      {"not UTF-8", {{"\xff", one}}, {{"\xfe", one}}, {"lacks [\xff (int)]"}},
      // Built so that keys joined without their lengths would read the same.
      {"imitating separators",
       {{"a:i\nb", one}, {"c", one}},
       {{"a", one}, {"b:i\nc", one}},
       {"lacks [a:i\nb (int), c (int)]"}},
      // "k\x01" sorts after "k", "k\x01 (int)" before "k (int)".
      {"control characters",
       {{"k", one}, {"k\x01", one}, {"z", one}},
       {{"k", one}, {"k\x01", one}},
       {"lacks [z (int)] and has []"}},
  };
}

TEST(ReduceDict, RefusesDifferingKeysOnEveryRankAndStaysUsable) {
  for (const int size : {2, 3}) {
    for (const int odd : {1, size - 1}) {
      run_ranks(size, [&](Rank& rank) {
        for (const Mismatch& mismatch : mismatches()) {
          SCOPED_TRACE(mismatch.what);
          const Dict& own =
              rank.rank() == odd ? mismatch.others : mismatch.rank0;
          const std::string message =
              refusal([&] { reduce_dict(rank.control(), own); });
          EXPECT_THAT(message, HasSubstr(fmt::format("rank {}", odd)));
          for (const std::string& part : mismatch.named) {
            EXPECT_THAT(message, HasSubstr(part));
          }
          // The refused collective must leave nothing for the next one.
          const Dict after =
              reduce_dict(rank.control(), {{"n", std::int64_t{1}}}, false);
          EXPECT_EQ(as_int(after, "n"), size);
        }
      });
    }
  }
}

TEST(ReduceDict, NamesEveryRankThatDiffersFromTheFirst) {
  run_ranks(3, [](Rank& rank) {
    const std::string message = refusal([&] {
      const Dict dict{{fmt::format("key{}", rank.rank()), 1.0}};
      reduce_dict(rank.control(), dict);
    });
    EXPECT_THAT(
        message,
        AllOf(
            HasSubstr("rank 1 lacks [key0 (float)] and has [key1 (float)]"),
            HasSubstr("rank 2 lacks [key0 (float)] and has [key2 (float)]")));
  });
}

// Reducing sums and counts is the mean over all samples; with equal batches it
// is also what averaging the ranks' means gives.
TEST(ReduceDict, OfSumsEqualsTheMeanOfMeansForEqualBatches) {
  run_ranks(4, [](Rank& rank) {
    AverageMeter meter;
    for (int batch = 0; batch < 3; ++batch) {
      meter.update(0.25 * (rank.rank() + batch), /*n=*/8);
    }
    const Dict sums = reduce_dict(
        rank.control(),
        {{"sum", meter.sum()}, {"count", meter.count()}},
        /*average=*/false);
    const Dict means = reduce_dict(rank.control(), {{"mean", meter.avg()}});
    // Quarters: every sum and quotient is exact, so equality is exact.
    EXPECT_EQ(
        as_double(sums.at("sum")) / as_double(sums.at("count")),
        as_double(means.at("mean")));
    EXPECT_EQ(as_double(means.at("mean")), 0.625);
  });
}

TEST(ReduceDict, OfSumsIsTheMeanOverSamplesWhereBatchesDiffer) {
  run_ranks(2, [](Rank& rank) {
    AverageMeter meter;
    meter.update(rank.rank() == 0 ? 1.0 : 0.0, /*n=*/rank.rank() == 0 ? 6 : 2);
    const Dict sums = reduce_dict(
        rank.control(),
        {{"sum", meter.sum()}, {"count", meter.count()}},
        /*average=*/false);
    const Dict means = reduce_dict(rank.control(), {{"mean", meter.avg()}});
    EXPECT_EQ(as_double(sums.at("sum")) / as_double(sums.at("count")), 0.75);
    EXPECT_EQ(as_double(means.at("mean")), 0.5);
  });
}

} // namespace
} // namespace vitrain::dist
