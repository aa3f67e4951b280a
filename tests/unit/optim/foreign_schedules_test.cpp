#include <cstdlib>
#include <fstream>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/foreign/translation.h"
#include "core/text.h"
#include "optim/schedule.h"

namespace vitrain::optim {
namespace {

using Rates = std::vector<double>;

// The rows of a table of tests/golden/optim, without the names of its columns.
std::vector<std::vector<std::string>> golden_rows(const std::string& name) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream file(VITRAIN_SOURCE_DIR "/tests/golden/optim/" + name);
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    rows.push_back(split(line, ','));
  }
  return rows;
}

config::foreign::Translation of_timm(const std::string& command) {
  return config::foreign::translate(
      config::foreign::read_words(config::foreign::timm(), command));
}

// By program and command, of tests/golden/optim/make_foreign_schedules.py.
std::map<std::pair<std::string, std::string>, Rates> foreign_rates() {
  std::map<std::pair<std::string, std::string>, Rates> rates;
  for (const auto& cells : golden_rows("foreign_schedules.csv")) {
    Rates& list = rates[{cells.at(0), cells.at(1)}];
    EXPECT_EQ(std::to_string(list.size()), cells.at(2));
    list.push_back(std::strtod(cells.at(3).c_str(), nullptr));
  }
  return rates;
}

// With one step an epoch.
Schedule in_epochs(const config::Recipe& recipe) {
  const config::ScheduleConfig& from = recipe.schedule;
  const auto steps = [](const config::Duration& length) {
    EXPECT_EQ(length.unit, config::Duration::Unit::kEpochs);
    return static_cast<std::int64_t>(length.value);
  };
  Schedule schedule{
      .kind = from.name,
      .total_steps = recipe.run.epochs,
      .warmup_steps = steps(from.warmup),
      .cooldown_steps = steps(from.cooldown),
      .cooldown_shape = from.cooldown_shape,
      .lr = recipe.optim.lr,
      .warmup_lr = from.warmup_lr,
      .min_lr = from.min_lr,
      .warmup_prefix = from.warmup_prefix,
      .cycles = from.cycles,
      .cycle_mul = from.cycle_mul,
      .cycle_decay = from.cycle_decay,
      .k_decay = from.k_decay,
      .power = from.power,
      .step_every = steps(from.step_every),
      .step_factor = from.step_factor,
      .timescale = steps(from.timescale.value_or(from.warmup))};
  for (const config::Duration& milestone : from.milestones) {
    schedule.milestones.push_back(steps(milestone));
  }
  return schedule;
}

TEST(ForeignSchedules, TranslatedRecipesHaveTheRatesOfTheOriginals) {
  const auto all = foreign_rates();
  EXPECT_EQ(all.size(), 18u);
  for (const auto& [key, rates] : all) {
    const auto& [program, command] = key;
    const config::foreign::Words words = config::foreign::read_words(
        program == "timm" ? config::foreign::timm()
                          : config::foreign::torchvision(),
        command);
    const config::foreign::Translation translation =
        config::foreign::translate(words);
    EXPECT_TRUE(translation.missing.empty()) << command;
    const Schedule schedule = in_epochs(translation.recipe);
    ASSERT_EQ(schedule.total_steps, std::ssize(rates)) << command;
    for (std::int64_t epoch = 0; epoch < std::ssize(rates); ++epoch) {
      const double rate = rates[static_cast<std::size_t>(epoch)];
      // torch multiplies its way along, each epoch from the one before.
      EXPECT_NEAR(learning_rate(schedule, epoch), rate, 1e-9 * rate)
          << program << " " << command << ", epoch " << epoch;
    }
  }
}

// A cycle whose first step is a whole one begins at its peak, and not at the
// end of the cycle before, however lengths and shares are rounded.
TEST(ForeignSchedules, CyclesOfAnotherLengthBeginAtTheirPeak) {
  const auto rows = golden_rows("cycle_starts.csv");
  EXPECT_GT(rows.size(), 1000u);
  for (const auto& cells : rows) {
    for (const std::int64_t steps : {1, 7, 1251}) { // an epoch's
      const Schedule schedule{
          .kind = config::ScheduleKind::kCosine,
          .hold_steps = steps,
          .total_steps = steps * std::stoll(cells.at(2)),
          .lr = 1.0,
          .min_lr = 0.0,
          .cycles = std::stoll(cells.at(1)),
          .cycle_mul = std::stod(cells.at(0)),
          .cycle_decay = 0.5};
      const std::int64_t start = steps * std::stoll(cells.at(3));
      // Half a cosine is flat at its peak, so that roundings do not show.
      EXPECT_NEAR(
          learning_rate(schedule, static_cast<double>(start)),
          std::stod(cells.at(4)),
          1e-9)
          << join(cells, ",") << ", steps " << steps;
      // The step before is one of the cycle before.
      EXPECT_LT(
          learning_rate(schedule, static_cast<double>(start - 1)), 0.5 + 1e-9)
          << join(cells, ",") << ", steps " << steps;
    }
  }
}

TEST(ForeignSchedules, CyclesOfTimmLastAsLongAsItsOwn) {
  const auto rows = golden_rows("cycle_lengths.csv");
  EXPECT_GT(rows.size(), 500u);
  for (const auto& cells : rows) {
    const std::string command = fmt::format(
        "--sched cosine --warmup-epochs 0 --lr-cycle-mul {} --lr-cycle-limit "
        "{} --epochs {}",
        cells.at(0),
        cells.at(1),
        cells.at(2));
    EXPECT_EQ(of_timm(command).recipe.run.epochs, std::stoll(cells.at(3)))
        << command;
  }
}

// Cycles that end within an epoch are cut there by timm; here the last one ends
// with the run.
TEST(ForeignSchedules, CyclesThatDoNotFitAreTold) {
  const auto told = [](const std::string& command) {
    return of_timm(
               "--sched cosine --warmup-epochs 0 --lr-cycle-limit 3 " + command)
        .differs.size();
  };
  EXPECT_EQ(told("--lr-cycle-mul 1.2 --epochs 25"), 0u);
  EXPECT_EQ(told("--lr-cycle-mul 1.2 --epochs 7"), 1u); // 25.48
}

} // namespace
} // namespace vitrain::optim
