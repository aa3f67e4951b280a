#include "optim/schedule.h"

#include <cmath>
#include <fstream>
#include <numbers>

#include <gtest/gtest.h>

#include "core/enum_names.h"
#include "core/text.h"
#include "golden.h"

namespace vitrain::optim {
namespace {

const Schedule kCosine{
    .kind = config::ScheduleKind::kCosine,
    .total_steps = 1000,
    .warmup_steps = 100,
    .lr = 1e-3,
    .warmup_lr = 1e-6,
    .min_lr = 1e-5};

Schedule schedule_of(const nlohmann::json& json) {
  return {
      .kind = config::ScheduleKind::kCosine,
      .total_steps = json.at("total_steps"),
      .warmup_steps = json.at("warmup_steps"),
      .lr = json.at("lr"),
      .warmup_lr = json.at("warmup_lr"),
      .min_lr = json.at("min_lr")};
}

// The golden values come from the same formula in Python, so that they differ
// by a few rounding errors of lr.
TEST(Schedule, EqualsTheClosedForm) {
  for (const auto& file : golden("schedules.json")) {
    const Schedule schedule = schedule_of(file);
    const std::vector<double> expected = file.at("closed_form");
    ASSERT_EQ(std::ssize(expected), schedule.total_steps + 3);
    for (std::size_t step = 0; step < expected.size(); ++step) {
      EXPECT_NEAR(
          learning_rate(schedule, static_cast<std::int64_t>(step)),
          expected[step],
          8 * 0x1p-53 * schedule.lr)
          << step;
    }
  }
}

// torch's schedulers multiply the last rate by a factor each step: a handful of
// roundings of at most lr per step, which add up.
TEST(Schedule, EqualsLinearThenCosineAnnealing) {
  for (const auto& file : golden("schedules.json")) {
    const Schedule schedule = schedule_of(file);
    const std::vector<double> expected = file.at("torch");
    ASSERT_EQ(std::ssize(expected), schedule.total_steps);
    for (std::size_t step = 0; step < expected.size(); ++step) {
      EXPECT_NEAR(
          learning_rate(schedule, static_cast<std::int64_t>(step)),
          expected[step],
          8 * static_cast<double>(step + 1) * 0x1p-53 * schedule.lr)
          << step;
    }
  }
}

TEST(Schedule, RisesLinearlyAndMeetsThePeakWithoutAJump) {
  EXPECT_EQ(learning_rate(kCosine, 0), kCosine.warmup_lr);
  EXPECT_EQ(learning_rate(kCosine, kCosine.warmup_steps), kCosine.lr);
  const double rise =
      (kCosine.lr - kCosine.warmup_lr) / static_cast<double>(100);
  for (std::int64_t step = 0; step < kCosine.warmup_steps; ++step) {
    EXPECT_NEAR(
        learning_rate(kCosine, step + 1) - learning_rate(kCosine, step),
        rise,
        4 * 0x1p-53 * kCosine.lr)
        << step;
  }
}

TEST(Schedule, FallsFromPeakToMinimumAndStaysThere) {
  for (std::int64_t step = kCosine.warmup_steps; step < kCosine.total_steps;
       ++step) {
    EXPECT_GT(learning_rate(kCosine, step), learning_rate(kCosine, step + 1));
  }
  EXPECT_EQ(learning_rate(kCosine, 1000), kCosine.min_lr);
  EXPECT_EQ(learning_rate(kCosine, 1001), kCosine.min_lr);
  EXPECT_EQ(learning_rate(kCosine, std::int64_t{1} << 40), kCosine.min_lr);
  // Half way the cosine is zero.
  EXPECT_NEAR(
      learning_rate(kCosine, 550),
      (kCosine.lr + kCosine.min_lr) / 2,
      4 * 0x1p-53 * kCosine.lr);
}

TEST(Schedule, StaysWithinItsBounds) {
  for (const std::int64_t warmup : {0, 1, 7, 36, 37, 38}) {
    for (const auto kind :
         {config::ScheduleKind::kCosine,
          config::ScheduleKind::kStep,
          config::ScheduleKind::kConstant}) {
      const Schedule schedule{
          .kind = kind,
          .total_steps = 37,
          .warmup_steps = warmup,
          .lr = 0.3,
          .warmup_lr = 0.01,
          .min_lr = 0.02,
          .step_every = 40,
          .step_factor = 0.1};
      for (std::int64_t step = 0; step < 40; ++step) {
        const double rate = learning_rate(schedule, step);
        EXPECT_GE(rate, 0.01) << step;
        EXPECT_LE(rate, 0.3) << step;
      }
    }
  }
}

// Where a step of the run is a part of the schedule's.
TEST(Schedule, GoesOnBetweenItsSteps) {
  const double before = learning_rate(kCosine, 550);
  const double behind = learning_rate(kCosine, 551);
  EXPECT_NEAR(
      learning_rate(kCosine, 550.5),
      (before + behind) / 2,
      1e-3 * (before - behind));
  EXPECT_LT(learning_rate(kCosine, 10.25), learning_rate(kCosine, 10.5));
  Schedule held = kCosine;
  held.hold_steps = 10;
  EXPECT_EQ(learning_rate(held, 559.75), learning_rate(held, 550));
  Schedule drops = kCosine;
  drops.kind = config::ScheduleKind::kStep;
  drops.milestones = {600, 700};
  drops.step_factor = 0.5;
  EXPECT_EQ(learning_rate(drops, 599.9), drops.lr);
  EXPECT_EQ(learning_rate(drops, 699.9), drops.lr / 2);
}

// unit: epoch, with 10 steps an epoch: the formulas of epochs e of N, as timm's
// schedulers with t_in_epochs and PaddleViT's have them.
TEST(Schedule, EpochsHoldTheRateOfTheirFirstStep) {
  Schedule schedule = kCosine;
  schedule.hold_steps = 10;
  for (std::int64_t epoch = 0; epoch < 100; ++epoch) {
    const double t = static_cast<double>(epoch);
    const double expected = epoch < 10
        ? schedule.warmup_lr + (schedule.lr - schedule.warmup_lr) * t / 10
        : schedule.min_lr +
            (schedule.lr - schedule.min_lr) *
                (1 + std::cos(std::numbers::pi * (t - 10) / 90)) / 2;
    for (const std::int64_t step : {0, 1, 9}) {
      EXPECT_NEAR(
          learning_rate(schedule, epoch * 10 + step),
          expected,
          8 * 0x1p-53 * schedule.lr)
          << epoch;
    }
  }
}

// A row of paddle_schedules.csv: the learning rate of an epoch of PaddleViT.
struct PaddleEpoch {
  std::string name;
  std::int64_t epochs = 0;
  std::int64_t warmup = 0;
  double peak = 0.0;
  double start = 0.0;
  double end = 0.0;
  std::int64_t epoch = 0; // from 1
  double rate = 0.0;
};

std::vector<PaddleEpoch> paddle_epochs() {
  std::ifstream file(VITRAIN_SOURCE_DIR
                     "/tests/golden/optim/paddle_schedules.csv");
  std::vector<PaddleEpoch> rows;
  std::string line;
  std::getline(file, line); // the header
  while (std::getline(file, line)) {
    const auto cells = split(line, ',');
    rows.push_back(
        {.name = cells.at(0),
         .epochs = std::stoll(cells.at(1)),
         .warmup = std::stoll(cells.at(2)),
         .peak = std::stod(cells.at(3)),
         .start = std::stod(cells.at(4)),
         .end = std::stod(cells.at(5)),
         .epoch = std::stoll(cells.at(6)),
         .rate = std::stod(cells.at(7))});
  }
  return rows;
}

// As the dialect's recipes have it, with three steps an epoch.
Schedule like_paddle(const PaddleEpoch& row, bool exact) {
  return {
      .kind = config::ScheduleKind::kCosine,
      .hold_steps = 3,
      .steps_ahead = exact ? 3 : 0,
      .total_steps = 3 * row.epochs,
      .warmup_steps = 3 * row.warmup,
      .lr = row.peak,
      .warmup_lr = row.start,
      .min_lr = row.end};
}

// The golden values come from the same formulas in Python, so that they differ
// by a few rounding errors of the peak. Without
// warm-up Paddle multiplies the previous rate by a factor in each epoch, and
// rounding errors add up.
double paddle_tolerance(const PaddleEpoch& row) {
  const double roundings =
      row.warmup > 0 ? 8.0 : 8.0 * static_cast<double>(row.epoch + 1);
  return roundings * 0x1p-53 * row.peak;
}

TEST(Schedule, ExactlyAsInPaddleViTIsOneEpochAhead) {
  const auto rows = paddle_epochs();
  ASSERT_EQ(rows.size(), 300u * 3 + 7 + 5 + 30);
  for (const PaddleEpoch& row : rows) {
    const Schedule schedule = like_paddle(row, /*exact=*/true);
    for (std::int64_t step = 0; step < 3; ++step) {
      EXPECT_NEAR(
          learning_rate(schedule, 3 * (row.epoch - 1) + step),
          row.rate,
          paddle_tolerance(row))
          << row.name << " epoch " << row.epoch;
    }
  }
  // The last epoch of PaddleViT's ViT trains with a rate of zero.
  EXPECT_EQ(learning_rate(like_paddle(rows.at(0), /*exact=*/true), 899), 0.0);
}

// Paddle's numbers at their own index: epoch k + 1 here is its epoch k, the
// first one starts at WARMUP_START_LR and the last one still learns.
TEST(Schedule, HasPaddlesNumbersFromTheStartOfTheWarmUp) {
  for (const PaddleEpoch& row : paddle_epochs()) {
    const Schedule schedule = like_paddle(row, /*exact=*/false);
    if (row.epoch == 1) {
      EXPECT_EQ(
          learning_rate(schedule, 0), row.warmup > 0 ? row.start : row.peak);
    }
    if (row.epoch < row.epochs) {
      EXPECT_NEAR(
          learning_rate(schedule, 3 * row.epoch),
          row.rate,
          paddle_tolerance(row))
          << row.name << " epoch " << row.epoch;
      EXPECT_GT(learning_rate(schedule, 3 * row.epoch), row.end);
    }
  }
}

TEST(Schedule, StartsAtThePeakWithoutWarmUp) {
  Schedule schedule = kCosine;
  schedule.warmup_steps = 0;
  EXPECT_EQ(learning_rate(schedule, 0), schedule.lr);
  EXPECT_LT(learning_rate(schedule, 1), schedule.lr);
}

TEST(Schedule, OfOneStepIsItsFirstRate) {
  Schedule schedule = kCosine;
  schedule.total_steps = 1;
  schedule.warmup_steps = 0;
  EXPECT_EQ(learning_rate(schedule, 0), schedule.lr);
  EXPECT_EQ(learning_rate(schedule, 1), schedule.min_lr);
  schedule.warmup_steps = 1;
  EXPECT_EQ(learning_rate(schedule, 0), schedule.warmup_lr);
  EXPECT_TRUE(std::isfinite(learning_rate(schedule, 1)));
}

TEST(Schedule, DropsByTheFactorAtEveryInterval) {
  const Schedule schedule{
      .kind = config::ScheduleKind::kStep,
      .total_steps = 100,
      .warmup_steps = 5,
      .lr = 0.5,
      .warmup_lr = 0.0,
      .step_every = 30,
      .step_factor = 0.5};
  EXPECT_EQ(learning_rate(schedule, 4), 0.4);
  for (std::int64_t step = 5; step < 130; ++step) {
    const double expected = std::ldexp(0.5, static_cast<int>(-(step / 30)));
    EXPECT_EQ(learning_rate(schedule, step), expected) << step;
  }
}

// As torch's MultiStepLR: the milestone itself has the lower rate already.
TEST(Schedule, DropsByTheFactorAtMilestones) {
  const Schedule schedule{
      .kind = config::ScheduleKind::kStep,
      .total_steps = 90,
      .warmup_steps = 5,
      .lr = 1.0,
      .warmup_lr = 0.5,
      .milestones = {30, 60, 60, 80},
      .step_factor = 0.5};
  EXPECT_EQ(learning_rate(schedule, 0), 0.5);
  for (std::int64_t step = 5; step < 100; ++step) {
    const double expected = step < 30 ? 1.0
        : step < 60                   ? 0.5
        : step < 80                   ? 0.125
                                      : 0.0625;
    EXPECT_EQ(learning_rate(schedule, step), expected) << step;
  }
}

// Also where a cycle is no whole number of steps, and its first step is one.
TEST(Schedule, ACycleBeginsAtItsPeak) {
  Schedule schedule = kCosine;
  schedule.warmup_steps = 0;
  for (std::int64_t length = 2; length < 200; ++length) {
    schedule.total_steps = length;
    for (std::int64_t cycles = 2; cycles <= std::min<std::int64_t>(length, 30);
         ++cycles) {
      schedule.cycles = cycles;
      for (std::int64_t k = 0; k < cycles; ++k) {
        if (k * length % cycles == 0) {
          ASSERT_NEAR(
              learning_rate(schedule, k * length / cycles),
              schedule.lr,
              1e-12 * schedule.lr)
              << k << " of " << cycles << " in " << length;
        }
      }
    }
  }
}

TEST(Schedule, IsConstantAfterTheWarmUp) {
  Schedule schedule = kCosine;
  schedule.kind = config::ScheduleKind::kConstant;
  EXPECT_EQ(learning_rate(schedule, 0), schedule.warmup_lr);
  for (const std::int64_t step : {100, 101, 999, 5000}) {
    EXPECT_EQ(learning_rate(schedule, step), schedule.lr);
  }
}

// torch's schedulers multiply their way along, each step from the one before: a
// handful of roundings of at most lr in each, and of OneCycleLR none.
TEST(Schedule, EqualsTorchsOthers) {
  const auto files = golden("torch_schedules.json");
  ASSERT_EQ(files.size(), 6u);
  for (const auto& file : files) {
    const std::string name = file.at("name");
    SCOPED_TRACE(name);
    Schedule schedule = schedule_of(file);
    schedule.kind = *value_of<config::ScheduleKind>(name);
    schedule.power = file.value("power", 1.0);
    schedule.step_factor = file.value("step_factor", 1.0);
    const std::vector<double> rates = file.at("rates");
    ASSERT_EQ(std::ssize(rates), schedule.total_steps);
    for (std::size_t step = 0; step < rates.size(); ++step) {
      EXPECT_NEAR(
          learning_rate(schedule, static_cast<std::int64_t>(step)),
          rates[step],
          8 * static_cast<double>(step + 1) * 0x1p-53 * schedule.lr)
          << step;
    }
  }
}

TEST(Schedule, ACooldownDrawsAnythingDown) {
  Schedule schedule{
      .kind = config::ScheduleKind::kConstant,
      .total_steps = 100,
      .cooldown_steps = 20,
      .cooldown_shape = config::CooldownShape::kLinear,
      .lr = 1.0,
      .min_lr = 0.0};
  EXPECT_EQ(learning_rate(schedule, 79), 1.0);
  EXPECT_EQ(learning_rate(schedule, 80), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 95), 0.25);
  EXPECT_EQ(learning_rate(schedule, 100), 0.0);
  schedule.cooldown_shape = config::CooldownShape::kCosine;
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 90), 0.5);
  // A cosine is at its end before, and stays there.
  schedule.kind = config::ScheduleKind::kCosine;
  schedule.min_lr = 0.125;
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 40), 0.5625);
  EXPECT_EQ(learning_rate(schedule, 80), 0.125);
  EXPECT_EQ(learning_rate(schedule, 90), 0.125);
}

// Where the schedule has gone below min_lr, its rate is held.
TEST(Schedule, ACooldownRaisesNothing) {
  Schedule schedule{
      .kind = config::ScheduleKind::kStep,
      .total_steps = 40,
      .cooldown_steps = 10,
      .lr = 1e-3,
      .min_lr = 1e-5,
      .milestones = {10, 20},
      .step_factor = 0.01};
  for (const auto shape :
       {config::CooldownShape::kSqrt,
        config::CooldownShape::kLinear,
        config::CooldownShape::kCosine}) {
    schedule.cooldown_shape = shape;
    for (std::int64_t step = 20; step <= 40; ++step) {
      EXPECT_DOUBLE_EQ(learning_rate(schedule, step), 1e-7) << step;
    }
  }
  schedule.kind = config::ScheduleKind::kExponential;
  schedule.step_every = 10;
  for (std::int64_t step = 0; step < 40; ++step) {
    EXPECT_GE(learning_rate(schedule, step), learning_rate(schedule, step + 1))
        << step;
  }
}

// Cycles that are shorter than a step, or than any number, are none to divide
// by.
TEST(Schedule, CyclesShorterThanAStepStayWithinTheBounds) {
  Schedule schedule = kCosine;
  schedule.warmup_steps = 0;
  for (const double growth : {0.5, 0.9, 1.5, 2.0}) {
    schedule.cycle_mul = growth;
    for (const std::int64_t cycles : {100, 2000, 1000000}) {
      schedule.cycles = cycles;
      for (std::int64_t step = 0; step <= 1001; ++step) {
        const double rate = learning_rate(schedule, step);
        ASSERT_GE(rate, schedule.min_lr) << growth << " " << step;
        ASSERT_LE(rate, schedule.lr) << growth << " " << step;
      }
      EXPECT_EQ(learning_rate(schedule, 1000), schedule.min_lr);
    }
  }
}

TEST(Schedule, DropsOfAPlateauEndAtTheLowestRate) {
  Schedule schedule{
      .kind = config::ScheduleKind::kPlateau,
      .total_steps = 100,
      .lr = 1.0,
      .min_lr = 0.05,
      .step_factor = 0.5};
  EXPECT_EQ(learning_rate(schedule, 7), 1.0);
  schedule.drops = 2;
  EXPECT_EQ(learning_rate(schedule, 7), 0.25);
  schedule.drops = 9;
  EXPECT_EQ(learning_rate(schedule, 7), 0.05);
}

} // namespace
} // namespace vitrain::optim
