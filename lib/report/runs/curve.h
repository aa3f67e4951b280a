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

// Returns at most `most` points of the curve (at least 4) that look the same
// when drawn: the first and the last point, and the smallest and largest value
// of each of several equal ranges of points, so that spikes remain.
Curve thinned(const Curve& curve, std::size_t most);

} // namespace vitrain::report
