#include "engine/eval/label_list_results.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vitrain::engine {
namespace {

// Returns the binary cross entropy of a logit x for target y (`has`): log(1 +
// exp(x)) - y x.
double loss_of(double logit, bool has) {
  return std::max(logit, 0.0) + std::log1p(std::exp(-std::abs(logit))) -
      (has ? logit : 0.0);
}

results::LabelListOutcome outcome_of(
    std::int64_t sample,
    std::span<const float> logits,
    std::span<const std::int32_t> labels,
    std::size_t named) {
  results::LabelListOutcome outcome{
      .sample = sample, .labels = {labels.begin(), labels.end()}};
  std::ranges::sort(outcome.labels);
  const auto repeated = std::ranges::unique(outcome.labels);
  outcome.labels.erase(repeated.begin(), repeated.end());
  double loss = 0.0;
  for (std::size_t c = 0; c < logits.size(); ++c) {
    const auto number = static_cast<std::int32_t>(c);
    loss +=
        loss_of(logits[c], std::ranges::binary_search(outcome.labels, number));
    if (logits[c] > 0.0F && c < named) {
      outcome.predicted.push_back(number);
    }
  }
  outcome.loss = static_cast<float>(loss / static_cast<double>(logits.size()));
  return outcome;
}

} // namespace

results::LabelListEvaluation label_lists_of(
    const Scores& scores,
    const data::Index& index) {
  const std::size_t samples = scores.samples.size();
  const std::size_t outputs = scores.logits.size() / samples;
  results::LabelListEvaluation evaluation;
  evaluation.names = index.classes();
  std::vector<std::size_t> order(samples);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(
      order, {}, [&](std::size_t i) { return scores.samples[i]; });
  for (const std::size_t i : order) {
    evaluation.outcomes.push_back(outcome_of(
        scores.samples[i],
        std::span(scores.logits).subspan(i * outputs, outputs),
        index.label_set(scores.samples[i]),
        evaluation.names.size()));
  }
  results::count_classes(evaluation);
  const auto precisions =
      average_precisions(scores, index, static_cast<std::int64_t>(outputs));
  for (std::size_t c = 0; c < evaluation.classes.size(); ++c) {
    evaluation.classes[c].average_precision = precisions[c];
  }
  return evaluation;
}

} // namespace vitrain::engine
