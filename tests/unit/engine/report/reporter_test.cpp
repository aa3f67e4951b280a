#include "engine/report/reporter.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.h"
#include "support/variables.h"
#include "unit/logging/support.h"

namespace vitrain::engine {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using ReporterTest = logging::OnATerminal;

// Returns the terminal's text of two epochs of five steps, whose losses are 1
// and 3, with a report every `every` steps.
std::string two_epochs(std::int64_t every) {
  constexpr std::int64_t kSteps = 5;
  const TempFolder folder;
  const ScopedVariable no_colour("NO_COLOR", "1");
  const ScopedVariable term("TERM", "xterm-256color");
  logging::Terminal terminal(/*columns=*/100);
  job::Job job;
  job.run_directory = folder.path().native();
  job.recipe.log.tensorboard = job.recipe.log.jsonl = false;
  job.recipe.log.progress = config::ProgressKind::kLine;
  Reporter reporter(
      job,
      /*rank=*/0,
      /*world=*/1,
      {.log_fd = -1, .terminal_fd = terminal.screen.get()});
  reporter.start(
      "run",
      {},
      RunLength{
          .epochs = 2,
          .timeline = config::Timeline({{0, kSteps}}),
          .total_steps = 2 * kSteps});
  reporter.open_records({{"kind", "start"}, {"eval_precision", "fp32"}});
  double loss = 0.0;
  for (std::int64_t step = 1; step <= 2 * kSteps; ++step) {
    loss += step <= kSteps ? 1.0 : 3.0;
    reporter.step_begins();
    reporter.step_ended(step);
    if (step % every == 0) {
      reporter.train(
          {.step = step,
           .epoch = (step - 1) / kSteps + 1,
           .loss_sum = loss,
           .count = every,
           .steps = every,
           .seconds = 1.0,
           .samples_hash = ""});
      loss = 0.0;
    }
    reporter.epoch_ended(step, /*lr=*/0.1);
  }
  return terminal.text();
}

TEST_F(ReporterTest, AnEpochsLineHasTheMeanLossOfItsSteps) {
  EXPECT_THAT(
      two_epochs(5),
      AllOf(
          HasSubstr("epoch 1/2  loss 1.0"), HasSubstr("epoch 2/2  loss 3.0")));
}

// They had the mean of other steps.
TEST_F(ReporterTest, AnEpochsLineHasNoLossIfReportsCrossEpochs) {
  EXPECT_THAT(
      two_epochs(2),
      AllOf(HasSubstr("epoch 1/2  lr "), HasSubstr("epoch 2/2  lr ")));
}

} // namespace
} // namespace vitrain::engine
