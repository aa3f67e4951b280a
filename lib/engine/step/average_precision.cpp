#include "engine/step/average_precision.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

#include <ATen/ATen.h>

#include "dist/group/collectives.h"

namespace vitrain::engine {
namespace {

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  return {
      reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

template <typename T>
void append_bytes(const std::string& bytes, std::vector<T>& values) {
  const std::size_t before = values.size();
  values.resize(before + bytes.size() / sizeof(T));
  std::memcpy(values.data() + before, bytes.data(), bytes.size());
}

} // namespace

void Scores::add(
    const at::Tensor& outputs,
    std::span<const std::int64_t> rows) {
  const at::Tensor values =
      outputs.narrow(0, 0, std::ssize(rows)).to(at::kFloat).cpu().contiguous();
  samples.insert(samples.end(), rows.begin(), rows.end());
  const float* first = values.const_data_ptr<float>();
  logits.insert(logits.end(), first, first + values.numel());
}

void Scores::add(const Scores& other) {
  samples.insert(samples.end(), other.samples.begin(), other.samples.end());
  logits.insert(logits.end(), other.logits.begin(), other.logits.end());
}

Scores gather_scores(dist::Group& group, const Scores& own) {
  Scores all;
  for (const auto& part :
       dist::all_gather_bytes(group, bytes_of(own.samples))) {
    append_bytes(part, all.samples);
  }
  for (const auto& part : dist::all_gather_bytes(group, bytes_of(own.logits))) {
    append_bytes(part, all.logits);
  }
  return all;
}

double average_precision(
    std::span<const float> scores,
    const std::vector<bool>& positive) {
  const auto all = static_cast<double>(std::ranges::count(positive, true));
  if (all == 0) {
    return 0.0;
  }
  // NaN scores rank last, as the least probable samples.
  const auto score_of = [&](std::size_t i) {
    return std::isnan(scores[i]) ? -INFINITY : scores[i];
  };
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return score_of(a) > score_of(b);
  });
  double sum = 0.0;
  double found = 0.0; // positive samples at or above the threshold
  for (std::size_t i = 0; i < order.size();) {
    const double before = found;
    const float threshold = score_of(order[i]);
    for (; i < order.size() && score_of(order[i]) == threshold; ++i) {
      found += positive[order[i]] ? 1.0 : 0.0;
    }
    sum += (found - before) / all * (found / static_cast<double>(i));
  }
  return sum;
}

std::vector<double> average_precisions(
    const Scores& scores,
    const data::Index& index,
    std::int64_t classes) {
  const std::size_t samples = scores.samples.size();
  std::vector<std::vector<bool>> positive(
      static_cast<std::size_t>(classes), std::vector<bool>(samples));
  for (std::size_t i = 0; i < samples; ++i) {
    for (const std::int32_t label : index.label_set(scores.samples[i])) {
      positive[static_cast<std::size_t>(label)][i] = true;
    }
  }
  std::vector<double> found;
  std::vector<float> column(samples);
  for (std::size_t c = 0; c < positive.size(); ++c) {
    for (std::size_t i = 0; i < samples; ++i) {
      column[i] = scores.logits[i * positive.size() + c];
    }
    found.push_back(average_precision(column, positive[c]));
  }
  return found;
}

double mean_average_precision(
    const Scores& scores,
    const data::Index& index,
    std::int64_t classes) {
  double sum = 0.0;
  for (const double one : average_precisions(scores, index, classes)) {
    sum += one;
  }
  return sum / static_cast<double>(classes);
}

} // namespace vitrain::engine
