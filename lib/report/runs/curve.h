#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vitrain::report {

// A quantity over the optimizer steps of a run, in the order of the steps.
struct Curve {
  std::vector<std::int64_t> steps;
  std::vector<double> values;

  std::size_t size() const { return steps.size(); }
  void add(std::int64_t step, double value) {
    steps.push_back(step);
    values.push_back(value);
  }
};

// Returns at most `most` (>= 4) points of the curve that look the same when
// drawn: all if there are no more; else the first and the last point, and those
// with the smallest and the largest value of each of several equal ranges of
// points, so that spikes remain.
Curve thinned(const Curve& curve, std::size_t most);

} // namespace vitrain::report
