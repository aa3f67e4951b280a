#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "data/load/loader.h"
#include "data/load/pipeline.h"
#include "data/load/rows.h"
#include "support/messages.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

using testing::ElementsAre;

SourceOptions generated(std::int64_t count, std::int64_t seed = 0) {
  return {
      .kind = SourceKind::kVectors,
      .count = count,
      .seed = seed,
      .features = 3,
      .targets = 2};
}

std::vector<float> row(const Rows& rows, std::int64_t sample) {
  std::vector<float> numbers(rows.bytes() / sizeof(float));
  rows.fill(
      {.sample = sample},
      {reinterpret_cast<std::uint8_t*>(numbers.data()), rows.bytes()},
      *rows.make_scratch());
  return numbers;
}

TEST(Vectors, AreAFunctionOfSeedAndRow) {
  const auto rows = open_rows(std::make_shared<Index>(list(generated(10))), {});
  const auto more = open_rows(std::make_shared<Index>(list(generated(20))), {});
  const auto other =
      open_rows(std::make_shared<Index>(list(generated(10, 1))), {});
  EXPECT_EQ(rows->bytes(), 5 * sizeof(float));
  EXPECT_EQ(row(*rows, 9), row(*more, 9));
  EXPECT_NE(row(*rows, 9), row(*other, 9));
  EXPECT_NE(row(*rows, 9), row(*rows, 8));
  EXPECT_NE(
      list(generated(10)).fingerprint(), list(generated(10, 1)).fingerprint());
  EXPECT_EQ(rows->describe(4), "row 4 of seed 0");
}

TEST(Vectors, AreNormallyDistributed) {
  const Index index = list(generated(20000));
  double sum = 0;
  double squares = 0;
  for (std::int64_t i = 0; i < index.size(); ++i) {
    std::array<float, 5> numbers;
    std::memcpy(numbers.data(), index.payload(i).data(), sizeof(numbers));
    for (const float number : numbers) {
      sum += number;
      squares += static_cast<double>(number) * number;
    }
  }
  // Five deviations of the mean of 100,000 draws, and of their squares.
  EXPECT_NEAR(sum / 1e5, 0.0, 5 / std::sqrt(1e5));
  EXPECT_NEAR(squares / 1e5, 1.0, 5 * std::sqrt(2 / 1e5));
}

TEST(Vectors, OfAFileHaveTheirTargetsLast) {
  const TempFolder folder;
  const auto file = folder.write("t.csv", "x,y,z\n1,2,3\n4,5,6\n");
  SourceOptions options = generated(99);
  options.path = file.native();
  options.targets = 1;
  const auto index = std::make_shared<Index>(list(options));
  EXPECT_EQ(index->size(), 2);
  EXPECT_EQ(index->options().features, 2);
  EXPECT_TRUE(index->classes().empty());
  const auto copy = std::make_shared<std::string>(index->bytes());
  const auto rows = open_rows(
      std::make_shared<Index>(
          std::span<const char>(copy->data(), copy->size()), copy),
      {});
  EXPECT_THAT(row(*rows, 1), ElementsAre(4, 5, 6));
  expect_message(rows->describe(1), {"t.csv", "1"});
  options.targets = 3;
  expect_message(data_error([&] { list(options); }), {});
  SourceOptions wider = generated(5);
  wider.targets = 1;
  expect_message(
      data_error([&] { check_same_classes(*index, list(wider)); }),
      {"2", "1", "3"});
}

TEST(Vectors, TooManyAreRefused) {
  expect_message(
      data_error([] { list(generated(std::int64_t{1} << 62)); }), {});
}

TEST(Vectors, AreLoadedInBatchesWithoutLabels) {
  const auto rows = open_rows(std::make_shared<Index>(list(generated(7))), {});
  Loader loader(
      *rows,
      [](std::int64_t sequence, std::vector<Draw>& draws) {
        for (std::int64_t i = 4 * sequence;
             i < std::min<std::int64_t>(7, 4 * sequence + 4);
             ++i) {
          draws.push_back({.sample = i});
        }
        return sequence < 2;
      },
      {.threads = 2, .capacity = 4});
  EXPECT_EQ(loader.next()->count, 4);
  const Batch* batch = loader.next();
  ASSERT_EQ(batch->count, 3);
  EXPECT_TRUE(batch->labels.empty());
  const auto expected = row(*rows, 6);
  EXPECT_EQ(
      std::memcmp(
          batch->rows.data() + 2 * rows->bytes(),
          expected.data(),
          rows->bytes()),
      0);
  // Rows that are not there are zeros.
  for (std::size_t i = 3 * rows->bytes(); i < batch->rows.size(); ++i) {
    EXPECT_EQ(batch->rows[i], 0);
  }
}

} // namespace
} // namespace vitrain::data
