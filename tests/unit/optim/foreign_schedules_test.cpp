#include <cstdlib>
#include <fstream>
#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "config/foreign/translation.h"
#include "core/text/text.h"
#include "optim/schedule.h"

namespace vitrain::optim {
namespace {

using Rates = std::vector<double>;

// By program and command, of tests/golden/optim/make_foreign_schedules.py.
std::map<std::pair<std::string, std::string>, Rates> foreign_rates() {
  std::map<std::pair<std::string, std::string>, Rates> rates;
  std::ifstream file(VITRAIN_SOURCE_DIR
                     "/tests/golden/optim/foreign_schedules.csv");
  std::string line;
  std::getline(file, line); // names of the columns
  while (std::getline(file, line)) {
    const std::vector<std::string> cells = split(line, ',');
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

} // namespace
} // namespace vitrain::optim
