#include "verbs/batch_search.h"

#include <csignal>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.h"

namespace vitrain::verbs {
namespace {

constexpr std::int64_t kMega = 1 << 20;

// A worker that takes 300 MiB and 10 MiB for each sample.
class Worker {
 public:
  explicit Worker(std::int64_t has) : has_(has) {}

  std::optional<std::int64_t> operator()(std::int64_t batch) {
    tried.push_back(batch);
    const std::int64_t bytes = (300 + 10 * batch) * kMega;
    return bytes > has_ ? std::nullopt : std::optional(bytes);
  }

  std::vector<std::int64_t> tried;

 private:
  std::int64_t has_;
};

BatchFound
search(Worker& worker, std::int64_t start, const BatchLimits& limits) {
  return search_largest_batch(
      start, limits, [&](std::int64_t batch) { return worker(batch); });
}

TEST(BatchSearch, GoesOverTheEdgeWhereThatDoesNoHarm) {
  Worker worker(5300 * kMega); // 500 samples
  const BatchFound found =
      search(worker, 24, {.largest = 100000, .seconds = 100.0});
  EXPECT_EQ(
      worker.tried,
      (std::vector<std::int64_t>{24, 48, 96, 192, 384, 768, 576, 480, 528}));
  EXPECT_EQ(found.fits, 480);
  EXPECT_EQ(found.too_large, 528);
  EXPECT_EQ(found.memory, 5100 * kMega);
  EXPECT_EQ(found.trials, 9);
  EXPECT_FALSE(found.out_of_time);
}

// On a CPU the kernel would kill the worker, and perhaps other processes.
TEST(BatchSearch, NeverTakesMoreMemoryThanThereIs) {
  for (const std::int64_t start : {1, 3, 24, 200, 499}) {
    Worker worker(5300 * kMega);
    const BatchFound found = search(
        worker,
        start,
        {.largest = 100000, .memory = 5300 * kMega, .seconds = 100.0});
    for (const std::int64_t batch : worker.tried) {
      EXPECT_LE(batch, 500) << start;
    }
    EXPECT_GE(found.fits, 440) << start;
    EXPECT_LE(found.fits, 500) << start;
    EXPECT_GT(found.too_large, 500) << start;
  }
}

TEST(BatchSearch, HalvesWhatDoesNotFit) {
  Worker worker(700 * kMega); // 40 samples
  const BatchFound found =
      search(worker, 1000, {.largest = 100000, .seconds = 100.0});
  EXPECT_GE(found.fits, 36);
  EXPECT_LE(found.fits, 40);
  Worker none(100 * kMega);
  EXPECT_EQ(search(none, 64, {.largest = 100000, .seconds = 100.0}).fits, 0);
  EXPECT_EQ(none.tried.back(), 1);
}

// A rule of recipes that a larger batch breaks says nothing of memory.
TEST(BatchSearch, EndsWhereATrialFailsForAnotherReason) {
  const auto fails_at = [](std::int64_t most, ExitCode code) {
    return search_largest_batch(
        16,
        {.largest = 100000, .seconds = 100.0},
        [=](std::int64_t batch) -> std::optional<std::int64_t> {
          if (batch > most) {
            throw Error(code, "too short a run");
          }
          return batch;
        });
  };
  const BatchFound found = fails_at(40, ExitCode::kUsage);
  EXPECT_EQ(found.fits, 32);
  EXPECT_EQ(found.too_large, 0);
  EXPECT_EQ(found.problem, "too short a run");
  EXPECT_EQ(found.trials, 3);
  EXPECT_EQ(fails_at(10, ExitCode::kUsage).trials, 1);
  EXPECT_THROW(fails_at(40, static_cast<ExitCode>(128 + SIGINT)), Error);
}

TEST(BatchSearch, EndsAtTheDataAndInTime) {
  Worker worker(5300 * kMega);
  const BatchFound all = search(worker, 16, {.largest = 50, .seconds = 100.0});
  EXPECT_EQ(all.fits, 50);
  EXPECT_EQ(all.too_large, 0);
  EXPECT_FALSE(all.out_of_time);
  const BatchFound late = search(worker, 16, {.largest = 50, .seconds = -1.0});
  EXPECT_TRUE(late.out_of_time);
  EXPECT_EQ(late.trials, 0);
}

} // namespace
} // namespace vitrain::verbs
