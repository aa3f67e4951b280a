#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vitrain::report {

// One quantity over the optimizer steps of a run, in the order of the steps.
struct Curve {
  std::vector<std::int64_t> steps;
  std::vector<double> values;

  std::size_t size() const { return steps.size(); }
  void add(std::int64_t step, double value) {
    steps.push_back(step);
    values.push_back(value);
  }
};

// At most `most` of its points (at least 4), such that it looks the same: the
// smallest and the largest of each of equally many points that follow one
// another, so that a spike stays; the first and the last.
Curve thinned(const Curve& curve, std::size_t most);

} // namespace vitrain::report
