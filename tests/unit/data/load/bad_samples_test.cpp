#include "data/load/bad_samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "data/load/loader.h"
#include "data/load/pipeline.h"
#include "image/operations/canvas.h"
#include "support/messages.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

using testing::AllOf;

// Rows of one byte, the sample's index; some samples cannot be read, some have
// defects.
class FakeRows final : public Rows {
 public:
  FakeRows(std::int64_t count, std::set<std::int64_t> bad)
      : Rows(shapes_index(count)), bad_(std::move(bad)) {}

  std::size_t bytes() const override { return 1; }
  RowDefects fill(
      const Draw& draw,
      std::span<std::uint8_t> out,
      Scratch& /*scratch*/) const override {
    const std::int64_t sample = draw.sample;
    out[0] = static_cast<std::uint8_t>(sample);
    if (bad_.contains(sample)) {
      throw Error(ExitCode::kData, describe(sample) + ": is bad");
    }
    if (sample == out_of_memory) {
      throw Error(ExitCode::kOutOfMemory, "no memory");
    }
    return {
        .warnings = sample == with_defects ? 2 : 0,
        .clipped = sample == with_clipped_values};
  }
  std::string describe(std::int64_t sample) const override {
    return "image " + std::to_string(sample);
  }

  std::int64_t out_of_memory = -1;
  std::int64_t with_defects = -1;
  std::int64_t with_clipped_values = -1;

 private:
  std::set<std::int64_t> bad_;
};

std::set<std::int64_t> every(std::int64_t step, std::int64_t count) {
  std::set<std::int64_t> samples;
  for (std::int64_t i = 0; i < count; i += step) {
    samples.insert(i);
  }
  return samples;
}

const BadSamplePolicy kReplace{.replace = true, .seed = 7};

FilledRow fill(
    const Rows& rows,
    const BadSamplePolicy& policy,
    std::int64_t epoch,
    std::int64_t sample) {
  std::vector<std::uint8_t> out(rows.bytes());
  const FilledRow filled =
      fill_row(rows, policy, {epoch, sample}, out, *rows.make_scratch());
  EXPECT_EQ(out[0], filled.sample);
  return filled;
}

TEST(BadSamples, AreErrorsUnlessTheyMayBeReplaced) {
  const FakeRows rows(100, {5});
  expect_message(
      data_error([&] { fill(rows, {}, 0, 5); }),
      {"5", "data.on_bad_sample=replace"});
  const FilledRow good = fill(rows, kReplace, 0, 6);
  EXPECT_EQ(good.sample, 6);
  EXPECT_FALSE(good.bad);
}

TEST(BadSamples, AreReplacedByAFunctionOfSeedEpochAndSample) {
  const FakeRows rows(100, every(3, 100));
  const FilledRow first = fill(rows, kReplace, 4, 9);
  ASSERT_TRUE(first.bad);
  EXPECT_EQ(first.bad->sample, 9);
  EXPECT_EQ(first.bad->epoch, 4);
  EXPECT_EQ(first.bad->replacement, first.sample);
  EXPECT_EQ(first.bad->where, "image 9");
  EXPECT_EQ(first.bad->reason, "is bad");
  EXPECT_NE(first.sample % 3, 0);
  EXPECT_EQ(fill(rows, kReplace, 4, 9).sample, first.sample);
  std::set<std::int64_t> others;
  for (std::int64_t i = 0; i < 8; ++i) {
    others.insert(fill(rows, kReplace, i, 9).sample);
    others.insert(fill(rows, kReplace, 4, 3 * i).sample);
    others.insert(
        fill(
            rows,
            {.replace = true, .seed = static_cast<std::uint64_t>(100 + i)},
            4,
            9)
            .sample);
  }
  EXPECT_GT(others.size(), 12u);
}

// Published runs depend on them.
TEST(BadSamples, HaveTheReplacementsThatTheyAlwaysHad) {
  std::vector<std::int64_t> first;
  for (int attempt = 0; attempt < 4; ++attempt) {
    first.push_back(replacement_of(1'281'167, 42, {3, 1000}, attempt));
  }
  EXPECT_THAT(first, testing::ElementsAre(664704, 113670, 1155483, 952601));
}

TEST(BadSamples, AreReplacedAcrossTheWholeDataset) {
  std::vector<int> counts(10);
  for (std::int64_t sample = 0; sample < 5000; ++sample) {
    ++counts[static_cast<std::size_t>(replacement_of(10, 1, {0, sample}, 0))];
  }
  // Six standard deviations of 500 +- 21.
  EXPECT_THAT(
      counts,
      testing::Each(testing::AllOf(testing::Gt(373), testing::Lt(627))));
}

TEST(BadSamples, EndTheLoadingWhenNothingElseCanBeRead) {
  const FakeRows rows(50, every(1, 50));
  expect_message(data_error([&] { fill(rows, kReplace, 0, 5); }), {"5", "16"});
}

TEST(BadSamples, AreNotOtherFailures) {
  FakeRows rows(100, {});
  rows.out_of_memory = 3;
  try {
    fill(rows, kReplace, 0, 3);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kOutOfMemory);
  }
}

TEST(BadSamples, IncludeDefectsOnRequest) {
  FakeRows rows(100, {});
  rows.with_defects = 3;
  EXPECT_EQ(fill(rows, kReplace, 0, 3).defects.warnings, 2);
  expect_message(
      data_error([&] { fill(rows, {.reject_warnings = true}, 0, 3); }),
      {"3", "2"});
  BadSamplePolicy policy = kReplace;
  policy.reject_warnings = true;
  const FilledRow filled = fill(rows, policy, 0, 3);
  ASSERT_TRUE(filled.bad);
  EXPECT_NE(filled.sample, 3);
  EXPECT_EQ(filled.defects.warnings, 0);
}

TEST(BadSamples, IncludeClippedValuesOnRequest) {
  FakeRows rows(100, {});
  rows.with_clipped_values = 3;
  EXPECT_TRUE(fill(rows, kReplace, 0, 3).defects.clipped);
  EXPECT_FALSE(fill(rows, kReplace, 0, 4).defects.clipped);
  expect_message(
      data_error([&] { fill(rows, {.reject_warnings = true}, 0, 3); }),
      {"data.preprocess.range"});
}

const BadSample kLast{.sample = 0, .where = "a/b.png", .reason = "is bad"};

TEST(BadSampleLedger, CountsEachSampleOnce) {
  BadSampleLedger ledger(shapes_index(1000), {.count = 3, .fraction = 1.0});
  EXPECT_TRUE(ledger.add(1));
  EXPECT_FALSE(ledger.add(1));
  EXPECT_TRUE(ledger.add(2));
  EXPECT_TRUE(ledger.add(4));
  EXPECT_EQ(ledger.count(), 3);
  ledger.check(kLast);
  ledger.add(5);
  EXPECT_EQ(
      data_error([&] { ledger.check(kLast); }),
      "4 of 1,000 training samples are bad so far, more than data.bad_samples "
      "allows (limit 3, fraction 1). The last one is a/b.png: is bad. `vitrain "
      "data check` finds all of them");
}

TEST(BadSampleLedger, HoldsTheFractionToo) {
  BadSampleLedger ledger(shapes_index(200), {.count = 100, .fraction = 0.01});
  ledger.add(1);
  ledger.add(2);
  ledger.check(kLast);
  ledger.add(3);
  expect_message(data_error([&] { ledger.check(kLast); }), {"3", "200"});
}

TEST(BadSampleLedger, NoticesAClassOfWhichNothingIsLeft) {
  // Ten classes in turn.
  BadSampleLedger ledger(shapes_index(40), {.count = 100, .fraction = 1.0});
  for (const std::int64_t sample : {3, 13, 23}) {
    ledger.add(sample);
  }
  ledger.add(4);
  BadSample last = kLast;
  last.sample = 13;
  ledger.check(last);
  ledger.add(33);
  expect_message(data_error([&] { ledger.check(last); }), {"4"});
  last.sample = 4;
  ledger.check(last);
}

// All labels of an image in a list count: class 1 is only a second label.
TEST(BadSampleLedger, NoticesASecondLabelOfWhichNothingIsLeft) {
  const TempFolder folder;
  const auto index = label_lists_index(
      folder, "list.txt", "a.jpg 0,1\nb.jpg 0\nc.jpg 2,1\nd.jpg -\n");
  BadSampleLedger ledger(index, {.count = 100, .fraction = 1.0});
  BadSample last = kLast;
  ledger.add(0);
  ledger.check(last);
  ledger.add(3); // without labels, which are no class 0
  last.sample = 3;
  ledger.check(last);
  ledger.add(2);
  last.sample = 2;
  expect_message(data_error([&] { ledger.check(last); }), {});
  BadSampleLedger other(index, {.count = 100, .fraction = 1.0});
  other.add(0);
  other.add(2);
  last.sample = 0;
  expect_message(data_error([&] { other.check(last); }), {"2", "'1'"});
}

struct Loaded {
  std::vector<std::uint8_t> rows;
  std::vector<std::int64_t> labels;
  std::vector<std::int64_t> samples;
  std::vector<std::int64_t> bad; // and the replacements
  bool operator==(const Loaded&) const = default;
};

// Samples 0 ... 99, seven at a time.
BatchPlan plan_of_hundred(std::int64_t first) {
  return [=](std::int64_t sequence, std::vector<Draw>& draws) {
    for (std::int64_t i = 7 * (first + sequence);
         i < std::min<std::int64_t>(100, 7 * (first + sequence + 1));
         ++i) {
      draws.push_back({2, i});
    }
    return !draws.empty();
  };
}

Loaded load(const Rows& rows, int threads, std::int64_t first = 0) {
  Loader loader(
      rows,
      plan_of_hundred(first),
      {.threads = threads, .capacity = 7, .bad_samples = kReplace});
  Loaded all;
  while (const Batch* batch = loader.next()) {
    const auto count = static_cast<std::ptrdiff_t>(batch->count);
    all.rows.insert(
        all.rows.end(), batch->rows.begin(), batch->rows.begin() + count);
    all.labels.insert(
        all.labels.end(), batch->labels.begin(), batch->labels.end());
    for (const Draw& draw : batch->draws) {
      all.samples.push_back(draw.sample);
    }
    for (const BadSample& bad : batch->bad) {
      all.bad.push_back(bad.sample);
      all.bad.push_back(bad.replacement);
    }
  }
  return all;
}

// Row 42 of the torture table: neither threads nor a restart in the middle
// change what takes the place of a bad sample.
TEST(BadSamples, AreReplacedAlikeOnThreadsAndAfterARestart) {
  const FakeRows rows(100, every(9, 100));
  const Loaded one = load(rows, 0);
  EXPECT_EQ(one.bad.size(), 2u * 12);
  for (std::size_t i = 0; i < one.samples.size(); ++i) {
    EXPECT_EQ(one.rows[i], one.samples[i]);
    EXPECT_EQ(one.labels[i], one.samples[i] % 10);
    EXPECT_NE(one.samples[i] % 9, 0);
  }
  EXPECT_EQ(load(rows, 1), one);
  EXPECT_EQ(load(rows, 5), one);
  const Loaded rest = load(rows, 3, /*first=*/9);
  EXPECT_TRUE(std::equal(
      rest.samples.begin(), rest.samples.end(), one.samples.begin() + 63));
}

// Row 45: files that are deleted, cut short, replaced by text, by a folder or
// by a FIFO while they are being trained on.
TEST(BadSamples, MayComeIntoBeingWhileTraining) {
  const TempFolder folder;
  const std::string image = slurp(image_file("rgb_420.jpg"));
  ASSERT_FALSE(image.empty());
  for (int i = 0; i < 40; ++i) {
    folder.write(
        std::string(i % 2 == 0 ? "a/" : "b/") + std::to_string(100 + i / 2) +
            ".jpg",
        image);
  }
  SourceOptions source;
  source.path = folder.path();
  TransformOptions transform;
  transform.size = 16;
  transform.train = true;
  const auto rows = open_rows(std::make_shared<Index>(list(source)), transform);
  Loader loader(
      *rows,
      [](std::int64_t /*sequence*/, std::vector<Draw>& draws) {
        for (std::int64_t i = 0; i < 40; ++i) {
          draws.push_back({.sample = i});
        }
        return true;
      },
      {.threads = 2, .depth = 1, .capacity = 40, .bad_samples = kReplace});
  EXPECT_TRUE(loader.next()->bad.empty());
  std::filesystem::remove(folder.path() / "a/100.jpg");
  folder.write("a/101.jpg", image.substr(0, image.size() / 2));
  folder.write("a/102.jpg");
  folder.write("a/103.jpg", "not an image");
  std::filesystem::remove(folder.path() / "a/104.jpg");
  std::filesystem::create_directory(folder.path() / "a/104.jpg");
  std::filesystem::remove(folder.path() / "a/105.jpg");
  ASSERT_EQ(::mkfifo((folder.path() / "a/105.jpg").c_str(), 0600), 0);
  const Batch* batch = nullptr;
  for (int i = 0; i < 4; ++i) { // two were being prepared
    batch = loader.next();
  }
  ASSERT_EQ(batch->bad.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(batch->bad[i].sample, static_cast<std::int64_t>(i));
    EXPECT_GT(batch->bad[i].replacement, 5);
    EXPECT_FALSE(batch->bad[i].reason.empty());
    expect_message(batch->bad[i].where, {"10"});
  }
  expect_message(batch->bad[0].reason, {});
}

} // namespace
} // namespace vitrain::data
