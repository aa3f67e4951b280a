#include "engine/step/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "engine/step/loss.h"
#include "report/runs/texts.h"

namespace vitrain::engine {
namespace {

constexpr double kFixedPoint = 4294967296.0; // 2^32

// Counts that are summed over the workers.
constexpr std::pair<const char*, std::int64_t EvalCounts::*> kSums[] = {
    {"count", &EvalCounts::count},
    {"correct1", &EvalCounts::correct1},
    {"correct5", &EvalCounts::correct5},
    {"real_count", &EvalCounts::real_count},
    {"real_correct", &EvalCounts::real_correct},
    {"non_finite", &EvalCounts::non_finite},
    {"clipped", &EvalCounts::clipped},
    {"loss_high", &EvalCounts::loss_high},
    {"loss_low", &EvalCounts::loss_low}};

double percent(std::int64_t part, std::int64_t whole) {
  return whole > 0
      ? 100.0 * static_cast<double>(part) / static_cast<double>(whole)
      : 0.0;
}

} // namespace

std::string metric_text(const MetricInfo& metric, double value) {
  return fmt::format("{} {}", metric.name, report::metric_value(metric, value));
}

at::Tensor label_ranks(const at::Tensor& logits, const at::Tensor& labels) {
  const at::Tensor column = labels.unsqueeze(1);
  const at::Tensor own = logits.gather(1, column);
  const at::Tensor classes = at::arange(
      logits.size(1), at::TensorOptions(logits.device()).dtype(at::kLong));
  const at::Tensor ahead = at::where(
      classes.unsqueeze(0).lt(column), logits.ge(own), logits.gt(own));
  return at::where(own.squeeze(1).isnan(), logits.size(1), ahead.sum(1));
}

void EvalTally::add(
    const at::Tensor& logits,
    const at::Tensor& labels,
    std::int64_t rows) {
  const at::Tensor values = logits.narrow(0, 0, rows).to(at::kFloat);
  const at::Tensor targets = labels.narrow(0, 0, rows);
  // fp32 holds the ranks exactly: there are fewer than 2^24 classes.
  ranks_.push_back(label_ranks(values, targets).to(at::kFloat));
  losses_.push_back(sample_losses({}, values, targets));
}

void EvalTally::add_losses(const at::Tensor& losses) {
  losses_.push_back(losses);
}

EvalCounts EvalTally::counts() const {
  EvalCounts counts;
  if (losses_.empty()) {
    return counts;
  }
  std::vector<at::Tensor> parts = losses_;
  parts.insert(parts.end(), ranks_.begin(), ranks_.end());
  const at::Tensor all = at::cat(parts).cpu();
  std::int64_t samples = 0;
  for (const at::Tensor& losses : losses_) {
    samples += losses.size(0);
  }
  counts.add_losses(all.narrow(0, 0, samples));
  const at::Tensor ranks = all.narrow(0, samples, all.size(0) - samples);
  counts.correct1 = ranks.lt(1).sum().item<std::int64_t>();
  counts.correct5 = ranks.lt(5).sum().item<std::int64_t>();
  return counts;
}

void EvalCounts::add_real(
    const at::Tensor& logits,
    const data::Index& index,
    std::span<const std::int64_t> samples) {
  const at::Tensor values =
      logits.narrow(0, 0, std::ssize(samples)).to(at::kFloat);
  const at::Tensor found = values.argmax(1)
                               .masked_fill(values.isnan().any(1), -1)
                               .cpu()
                               .contiguous();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto labels = index.label_set(samples[i]);
    real_count += labels.empty() ? 0 : 1;
    real_correct +=
        std::ranges::count(labels, found.const_data_ptr<std::int64_t>()[i]) > 0;
  }
}

void EvalCounts::add_losses(const at::Tensor& losses) {
  const at::Tensor values = losses.cpu().contiguous();
  const float* loss = values.const_data_ptr<float>();
  count += values.size(0);
  for (std::int64_t i = 0; i < values.size(0); ++i) {
    if (!std::isfinite(loss[i])) {
      ++non_finite;
      continue;
    }
    // A loss times 2^32 fits into 64 bits if it is below 2^31; a larger loss
    // counts as diverged.
    const double fixed = static_cast<double>(loss[i]) * kFixedPoint;
    if (std::abs(fixed) >= 0x1p63) {
      ++non_finite;
      continue;
    }
    const std::int64_t value = std::llround(fixed);
    loss_high += value >> 32;
    loss_low += value & 0xFFFFFFFF;
  }
}

void EvalCounts::add(const EvalCounts& other) {
  for (const auto& [name, sum] : kSums) {
    this->*sum += other.*sum;
  }
}

EvalCounts EvalCounts::reduced(dist::Group& group) const {
  dist::Dict own;
  for (const auto& [name, sum] : kSums) {
    own.emplace(name, this->*sum);
  }
  const dist::Dict all = dist::reduce_dict(group, own, /*average=*/false);
  EvalCounts counts;
  for (const auto& [name, sum] : kSums) {
    counts.*sum = std::get<std::int64_t>(all.at(name));
  }
  return counts;
}

double EvalCounts::value(Metric metric) const {
  switch (metric) {
    case Metric::kTop1:
      return percent(correct1, count);
    case Metric::kTop5:
      return percent(correct5, count);
    case Metric::kRealTop1:
      return percent(real_correct, real_count);
    case Metric::kMap:
      return 100.0 * map;
    case Metric::kLoss:
      return mean_loss();
  }
  throw std::logic_error("a metric has no value");
}

double EvalCounts::mean_loss() const {
  if (non_finite > 0 || count == 0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  // Carries first, so that equal sums give equal doubles, however they were
  // split.
  const std::int64_t high = loss_high + (loss_low >> 32);
  const std::int64_t low = loss_low & 0xFFFFFFFF;
  const double sum =
      static_cast<double>(high) + static_cast<double>(low) / kFixedPoint;
  return sum / static_cast<double>(count);
}

} // namespace vitrain::engine
