#include "engine/train/log_interval.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "data/augment/draw.h"
#include "data/kinds/datasets.h"
#include "data/load/loader.h"
#include "data/load/pipeline.h"
#include "data/load/rows.h"
#include "engine/step/loss.h"
#include "engine/step/reports.h"
#include "engine/step/train_step.h"
#include "support/ranks.h"

namespace vitrain::engine {
namespace {

using testing::Rank;
using testing::run_ranks;

void sleep_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

// Without batches: nothing is waited for.
struct NoData {
  std::unique_ptr<data::Rows> rows = data::open_rows(
      std::make_shared<const data::Index>(data::list(
          {.kind = data::SourceKind::kShapes, .count = 1, .size = 8})),
      {.size = 8});
  data::Loader loader{
      *rows,
      [](std::int64_t, std::vector<data::Draw>&) { return false; },
      {.threads = 0}};
};

// Returns the traffic of a step that waits; the duration on this machine does
// not matter.
dist::Traffic waiting_step(int milliseconds, std::int64_t staleness) {
  const Stopwatch watch;
  sleep_ms(milliseconds);
  const double seconds = watch.seconds();
  dist::Traffic traffic{
      .bytes = 100, .exposed_seconds = seconds, .busy_seconds = seconds};
  traffic.staleness.add(staleness);
  return traffic;
}

// A checkpoint between two reports: the steps before it have their time, and it
// has none of theirs.
TEST(LogInterval, StepsBeforeAPauseKeepTheirTime) {
  run_ranks(1, [](Rank& rank) {
    NoData data;
    LogInterval interval;
    interval.restart_clock();
    const Stopwatch whole;
    interval.end_step(waiting_step(20, 0));
    interval.pause_clock();
    const Stopwatch pause;
    sleep_ms(40);
    const double paused = pause.seconds();
    interval.restart_clock();
    interval.end_step(waiting_step(10, 0));
    const TrainReport report =
        interval.report(rank.control(), {.count = 8}, data.loader, 0);
    EXPECT_EQ(report.steps, 2);
    EXPECT_GE(report.seconds, 0.030);
    EXPECT_LE(report.seconds, whole.seconds() - paused);
    EXPECT_LE(2 * report.comm_seconds, report.seconds);
    EXPECT_LE(2 * report.comm_busy_seconds, report.seconds);
    EXPECT_LE(report.own.comm_wait, 1.0);
  });
}

// Where a stage of the recipe begins, another loader follows.
TEST(LogInterval, WaitsOfLoadersThatFollowOneAnotherAreAdded) {
  run_ranks(1, [](Rank& rank) {
    const auto rows = data::open_rows(
        std::make_shared<const data::Index>(data::list(
            {.kind = data::SourceKind::kShapes, .count = 8, .size = 64})),
        {.size = 64});
    const auto consumed = [&] {
      auto loader = std::make_unique<data::Loader>(
          *rows,
          [](std::int64_t sequence, std::vector<data::Draw>& draws) {
            draws = {{.sample = sequence}};
            return sequence < 8;
          },
          data::LoaderOptions{.threads = 0});
      while (loader->next() != nullptr) {
      }
      return loader;
    };
    LogInterval interval;
    interval.restart_clock();
    const auto first = consumed();
    interval.end_loader(*first);
    const auto second = consumed();
    interval.end_step({});
    ASSERT_GT(first->wait_seconds(), 0.0);
    const TrainReport report =
        interval.report(rank.control(), {.count = 8}, *second, 0);
    EXPECT_NEAR(
        report.own.data_wait * report.own.seconds,
        first->wait_seconds() + second->wait_seconds(),
        1e-9);
  });
}

// Each worker's waiting is measured by its own clock.
TEST(LogInterval, WaitingIsAShareOfTheWorkersOwnTime) {
  run_ranks(2, [](Rank& rank) {
    NoData data;
    LogInterval interval;
    if (rank.rank() == 0) {
      sleep_ms(50); // after the other rank
    }
    interval.restart_clock();
    interval.end_step(waiting_step(rank.rank() == 0 ? 5 : 50, rank.rank()));
    interval.end_step(waiting_step(5, 4));
    const TrainReport report = interval.report(
        rank.control(),
        {.loss = 2.0 + rank.rank(), .count = 8},
        data.loader,
        0);
    EXPECT_LE(2 * report.comm_seconds, report.seconds);
    EXPECT_LE(report.own.comm_wait, 1.0);
    EXPECT_GE(report.own.seconds, rank.rank() == 0 ? 0.010 : 0.055);
    EXPECT_EQ(report.count, 16);
    EXPECT_EQ(report.loss_sum, 5.0);
    EXPECT_EQ(report.own.count, 8);
    EXPECT_EQ(report.own.loss_sum, 2.0 + rank.rank());
    EXPECT_EQ(report.own.comm_bytes, 100);
    EXPECT_EQ(report.stale.updates, 4);
    EXPECT_EQ(report.stale.sum, 0 + 1 + 4 + 4);
    EXPECT_EQ(report.stale.largest, 4);
  });
}

} // namespace
} // namespace vitrain::engine
