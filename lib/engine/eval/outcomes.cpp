#include "engine/eval/outcomes.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include <ATen/ATen.h>

#include "config/sections/recipe.h"
#include "core/text.h"
#include "data/sources/index.h"
#include "dist/group/collectives.h"
#include "engine/eval/label_list_results.h"
#include "engine/step/loss.h"
#include "job/display_names.h"
#include "job/run/job.h"
#include "logging/banner.h"
#include "logging/console.h"
#include "results/evaluation_files.h"
#include "results/multi_label.h"

namespace vitrain::engine {
namespace {

static_assert(std::is_trivially_copyable_v<results::Outcome>);

logging::BannerSection section_of(const results::SummaryLines& lines) {
  logging::BannerSection section;
  for (const auto& [label, text] : lines) {
    section.push_back({label, text});
  }
  return section;
}

// Replaces class numbers by their positions in `subset`, which is sorted.
void renumber(
    std::vector<results::Outcome>& outcomes,
    std::span<const std::int32_t> subset) {
  const auto place_of = [&](std::int32_t number) {
    return static_cast<std::int32_t>(
        std::ranges::lower_bound(subset, number) - subset.begin());
  };
  for (results::Outcome& one : outcomes) {
    one.label = place_of(one.label);
    one.prediction = one.finite() ? place_of(one.prediction) : one.prediction;
  }
}

std::vector<std::string> names_of(
    const std::vector<std::string>& classes,
    std::span<const std::int32_t> subset) {
  std::vector<std::string> names;
  for (const std::int32_t one : subset) {
    names.push_back(classes[static_cast<std::size_t>(one)]);
  }
  return names;
}

// Returns false for an evaluation without requested records: its folder is
// removed at the end.
bool keeps_records(const Session& session) {
  const config::LogConfig& log = session.job.recipe.log;
  return session.job.mode == job::JobMode::kTrain || log.jsonl || log.csv ||
      log.tensorboard;
}

} // namespace

void OutcomeTally::add(
    const at::Tensor& logits,
    const at::Tensor& labels,
    std::span<const std::int64_t> samples) {
  const std::int64_t rows = std::ssize(samples);
  const at::Tensor values = logits.narrow(0, 0, rows).to(at::kFloat);
  const at::Tensor targets = labels.narrow(0, 0, rows);
  // argmax takes the first of equal logits, as label_ranks() does.
  const at::Tensor best = values.argmax(/*dim=*/1, /*keepdim=*/true);
  const at::Tensor shares = at::softmax(values, /*dim=*/1).gather(1, best);
  // fp32 holds class numbers exactly: there are fewer than 2^24.
  numbers_.push_back(at::stack(
      {targets.to(at::kFloat),
       best.squeeze(1).to(at::kFloat),
       shares.squeeze(1),
       sample_losses({}, values, targets)}));
  samples_.insert(samples_.end(), samples.begin(), samples.end());
}

std::vector<results::Outcome> OutcomeTally::outcomes() const {
  if (numbers_.empty()) {
    return {};
  }
  const at::Tensor all = at::cat(numbers_, /*dim=*/1).cpu();
  const auto number = all.accessor<float, 2>();
  std::vector<results::Outcome> outcomes;
  for (std::int64_t i = 0; i < all.size(1); ++i) {
    const float probability = number[2][i];
    outcomes.push_back(
        {.sample = samples_[static_cast<std::size_t>(i)],
         .label = static_cast<std::int32_t>(number[0][i]),
         .prediction = std::isfinite(probability)
             ? static_cast<std::int32_t>(number[1][i])
             : -1,
         .probability = probability,
         .loss = number[3][i]});
  }
  return outcomes;
}

std::vector<results::Outcome> gather_outcomes(
    dist::Group& group,
    const std::vector<results::Outcome>& own) {
  const std::string bytes(
      reinterpret_cast<const char*>(own.data()),
      own.size() * sizeof(results::Outcome));
  std::vector<results::Outcome> all;
  for (const std::string& part : dist::all_gather_bytes(group, bytes)) {
    const std::size_t before = all.size();
    all.resize(before + part.size() / sizeof(results::Outcome));
    std::memcpy(all.data() + before, part.data(), part.size());
  }
  std::ranges::sort(all, {}, &results::Outcome::sample);
  return all;
}

namespace {

// Files to write after an evaluation, and lines to print.
struct Record {
  std::function<void(const std::filesystem::path& folder)> write;
  std::function<results::SummaryLines()> summary;
};

Record record_of(
    const Session& session,
    const Evaluator& evaluator,
    std::vector<results::Outcome> outcomes) {
  // A network may have more outputs than the data has classes, and may predict
  // the surplus ones.
  const std::vector<std::string> classes = job::display_names(
      session.eval_index->classes(), session.spec.num_classes);
  const auto subset = evaluator.subset();
  if (!subset.empty()) {
    renumber(outcomes, subset);
  }
  const auto evaluation =
      std::make_shared<const results::Evaluation>(results::Evaluation{
          .outcomes = std::move(outcomes),
          .classes = subset.empty() ? classes : names_of(classes, subset),
          .of_classes = std::ssize(classes),
          .path = [&evaluator](
                      std::int64_t sample) { return evaluator.path(sample); },
          .picture =
              [&evaluator](std::int64_t sample) {
                return evaluator.picture(sample);
              }});
  return {
      [evaluation](const std::filesystem::path& folder) {
        results::write_evaluation(folder, *evaluation);
      },
      [evaluation] { return results::summary_of(*evaluation); }};
}

Record record_of(
    const Session& session,
    const Evaluator& evaluator,
    const Scores& scores) {
  auto evaluation = std::make_shared<results::LabelListEvaluation>(
      label_lists_of(scores, *session.eval_index));
  evaluation->path = [&evaluator](std::int64_t sample) {
    return evaluator.path(sample);
  };
  return {
      [evaluation](const std::filesystem::path& folder) {
        results::write_label_lists(folder, *evaluation);
      },
      [evaluation] { return results::summary_of(*evaluation); }};
}

} // namespace

void record_evaluation(
    const Session& session,
    const Evaluator& evaluator,
    SampleResults found,
    bool tells) {
  if (session.rank != 0 || found.empty()) {
    return;
  }
  const Record record = found.outcomes.empty()
      ? record_of(session, evaluator, found.scores)
      : record_of(session, evaluator, std::move(found.outcomes));
  logging::Console& console = session.observer.console();
  session.observer.hold();
  if (keeps_records(session)) {
    try {
      record.write(session.job.run().path / "evaluation");
    } catch (const Error& error) {
      if (error.code() != ExitCode::kStorage) {
        throw;
      }
      console.warn(error.what());
    }
  }
  if (tells) {
    const auto section = section_of(record.summary());
    console.print([&](const logging::TerminalStyle& style) {
      return logging::sections_text({section}, style);
    });
  }
}

} // namespace vitrain::engine
