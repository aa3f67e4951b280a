#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/random.h"
#include "dist/group/collectives.h"
#include "support/ranks.h"

// Own types with to_json and from_json, found by argument-dependent lookup.
namespace vitrain::dist::sample {

struct Score {
  std::string file;
  std::int64_t correct = 0;
  double loss = 0.0;
  bool operator==(const Score&) const = default;
};

void to_json(nlohmann::json& json, const Score& score) {
  json = {
      {"file", score.file}, {"correct", score.correct}, {"loss", score.loss}};
}

void from_json(const nlohmann::json& json, Score& score) {
  json.at("file").get_to(score.file);
  json.at("correct").get_to(score.correct);
  json.at("loss").get_to(score.loss);
}

} // namespace vitrain::dist::sample

namespace vitrain::dist {
namespace {

using testing::Rank;
using testing::run_ranks;

std::string random_bytes(std::size_t size, int rank) {
  Random random(1, Purpose::kOrder, static_cast<std::uint64_t>(rank), size);
  std::string bytes(size, '\0');
  for (char& byte : bytes) {
    byte = static_cast<char>(random.next_u32());
  }
  return bytes;
}

// Every rank contributes make(rank); all must get all of them, in rank order.
template <typename Make>
void expect_gathered(int size, Make&& make) {
  run_ranks(size, [&](Rank& rank) {
    const auto all = all_gather(rank.control(), make(rank.rank()));
    ASSERT_EQ(std::ssize(all), size);
    for (int other = 0; other < size; ++other) {
      EXPECT_EQ(all[static_cast<std::size_t>(other)], make(other));
    }
  });
}

TEST(AllGatherBytes, ReturnsAnyBytesInRankOrder) {
  // Bytes per rank: 0 next to 1 MiB, all empty, all equal.
  const std::vector<std::vector<std::size_t>> cases{
      {0, 0, 0}, {0, 1, 0}, {1, 0, 1 << 20}, {5, 5, 5}, {4097, 64, 1}};
  for (const auto& sizes : cases) {
    run_ranks(3, [&](Rank& rank) {
      const auto own = static_cast<std::size_t>(rank.rank());
      const std::vector<std::string> all = all_gather_bytes(
          rank.control(), random_bytes(sizes[own], rank.rank()));
      ASSERT_EQ(all.size(), 3U);
      for (int other = 0; other < 3; ++other) {
        const auto index = static_cast<std::size_t>(other);
        EXPECT_EQ(all[index], random_bytes(sizes[index], other));
      }
    });
  }
}

TEST(AllGather, ReturnsStringsOfDifferingSizes) {
  expect_gathered(4, [](int rank) {
    return std::string(static_cast<std::size_t>(rank * rank * 1000), 'x');
  });
  expect_gathered(
      2, [](int rank) { return std::string(rank == 0 ? 0 : 1 << 20, 'y'); });
}

TEST(AllGather, KeepsStringsThatAreNotUtf8) {
  expect_gathered(3, [](int rank) {
    return std::string("\xff\xc0\x80\0 tail", 10) +
        random_bytes(static_cast<std::size_t>(rank) * 37, rank);
  });
}

TEST(AllGather, ReturnsNumbersVectorsAndMaps) {
  expect_gathered(3, [](int rank) {
    return std::numeric_limits<std::int64_t>::min() + rank;
  });
  expect_gathered(3, [](int rank) {
    return std::numeric_limits<std::uint64_t>::max() -
        static_cast<std::uint64_t>(rank);
  });
  expect_gathered(3, [](int rank) { return rank % 2 == 0; });
  expect_gathered(3, [](int rank) {
    return std::vector<std::int64_t>(static_cast<std::size_t>(rank), rank);
  });
  expect_gathered(2, [](int rank) {
    std::map<std::string, std::vector<std::vector<double>>> nested;
    nested["empty"];
    for (int i = 0; i < 3 * rank; ++i) {
      nested[fmt::format("k{}", i)] = {{}, {1.0 / (i + 3), 2.0}, {-1e300}};
    }
    return nested;
  });
}

TEST(AllGather, ReturnsOwnTypes) {
  expect_gathered(3, [](int rank) {
    return sample::Score{fmt::format("n{}", rank), rank, 0.1 * rank};
  });
  expect_gathered(2, [](int rank) {
    return std::vector<sample::Score>(
        static_cast<std::size_t>(5 * rank), {"\xfe", -1, 1e-320});
  });
}

TEST(AllGather, KeepsTheBitsOfDoubles) {
  const std::vector<double> values{
      0.1,
      -0.0,
      1.0 / 3.0,
      0.5,
      16777217.0,
      1e39,
      std::numeric_limits<float>::denorm_min(),
      std::numeric_limits<double>::denorm_min(),
      -std::numeric_limits<double>::denorm_min(),
      std::numeric_limits<double>::min(),
      std::numeric_limits<double>::max(),
      std::numeric_limits<double>::lowest(),
      std::numeric_limits<double>::infinity(),
      -std::numeric_limits<double>::infinity(),
      std::numeric_limits<double>::quiet_NaN()};
  run_ranks(2, [&](Rank& rank) {
    for (const auto& gathered : all_gather(rank.control(), values)) {
      ASSERT_EQ(gathered.size(), values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(
            std::bit_cast<std::uint64_t>(gathered[i]),
            std::bit_cast<std::uint64_t>(values[i]))
            << values[i];
      }
    }
  });
}

TEST(AllGather, WorksInAGroupOfOne) {
  Group alone;
  EXPECT_EQ(all_gather(alone, std::string("x")), std::vector<std::string>{"x"});
  EXPECT_EQ(all_gather_bytes(alone, ""), std::vector<std::string>{""});
}

} // namespace
} // namespace vitrain::dist
