#include "results/confusion.h"

#include <algorithm>

#include "results/shares.h"

namespace vitrain::results {

double ClassResult::accuracy() const {
  return share_of(correct, count);
}

double ClassResult::precision() const {
  return share_of(correct, predicted);
}

double ClassResult::f1() const {
  return share_of(2 * correct, count + predicted);
}

Confusion::Confusion(std::int64_t classes, std::span<const Outcome> outcomes)
    : results_(static_cast<std::size_t>(classes)) {
  for (const Outcome& one : outcomes) {
    if (one.finite()) {
      ++cells_[{one.label, one.prediction}];
    } else {
      ++results_[static_cast<std::size_t>(one.label)].count;
      ++count_;
    }
  }
  count_cells();
}

Confusion::Confusion(std::int64_t classes, Cells cells)
    : results_(static_cast<std::size_t>(classes)), cells_(std::move(cells)) {
  count_cells();
}

void Confusion::count_cells() {
  for (const auto& [classes_of, times] : cells_) {
    const auto [label, prediction] = classes_of;
    ClassResult& own = results_[static_cast<std::size_t>(label)];
    own.count += times;
    count_ += times;
    results_[static_cast<std::size_t>(prediction)].predicted += times;
    if (label == prediction) {
      own.correct += times;
      correct_ += times;
    } else if (times > own.confused) {
      own.confused_with = prediction;
      own.confused = times;
    }
  }
}

double Confusion::accuracy() const {
  return share_of(correct_, count_);
}

std::int64_t Confusion::classes_with_samples() const {
  return std::ranges::count_if(
      results_, [](const ClassResult& one) { return one.count > 0; });
}

double Confusion::mean_accuracy() const {
  double sum = 0;
  for (const ClassResult& one : results_) {
    sum += one.accuracy();
  }
  const std::int64_t met = classes_with_samples();
  return met == 0 ? 0.0 : sum / static_cast<double>(met);
}

double Confusion::macro_f1() const {
  double sum = 0;
  std::int64_t met = 0;
  for (const ClassResult& one : results_) {
    sum += one.f1();
    met += one.count + one.predicted > 0 ? 1 : 0;
  }
  return met == 0 ? 0.0 : sum / static_cast<double>(met);
}

std::int64_t Confusion::at(std::int32_t label, std::int32_t prediction) const {
  const auto found = cells_.find({label, prediction});
  return found == cells_.end() ? 0 : found->second;
}

std::vector<Confusion::Pair> Confusion::most_confused(std::size_t most) const {
  std::vector<Pair> pairs;
  for (const auto& [classes_of, times] : cells_) {
    if (classes_of.first != classes_of.second) {
      pairs.push_back({classes_of.first, classes_of.second, times});
    }
  }
  std::ranges::stable_sort(pairs, std::greater<>(), &Pair::count);
  pairs.resize(std::min(most, pairs.size()));
  return pairs;
}

std::vector<std::int32_t> Confusion::worst_classes(std::size_t most) const {
  std::vector<std::int32_t> worst;
  for (std::int32_t i = 0; i < classes(); ++i) {
    if (results_[static_cast<std::size_t>(i)].count > 0) {
      worst.push_back(i);
    }
  }
  std::ranges::stable_sort(worst, {}, [&](std::int32_t i) {
    return results_[static_cast<std::size_t>(i)].accuracy();
  });
  worst.resize(std::min(most, worst.size()));
  return worst;
}

} // namespace vitrain::results
