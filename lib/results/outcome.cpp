#include "results/outcome.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace vitrain::results {

std::vector<Outcome> mistakes_of(
    const std::vector<Outcome>& outcomes,
    std::size_t most) {
  std::vector<Outcome> wrong;
  std::ranges::copy_if(
      outcomes, std::back_inserter(wrong), [](const Outcome& one) {
        return one.finite() && !one.right() && std::isfinite(one.loss);
      });
  const auto end =
      wrong.begin() + static_cast<std::ptrdiff_t>(std::min(most, wrong.size()));
  std::ranges::partial_sort(wrong, end, [](const Outcome& a, const Outcome& b) {
    return a.loss == b.loss ? a.sample < b.sample : a.loss > b.loss;
  });
  wrong.erase(end, wrong.end());
  return wrong;
}

} // namespace vitrain::results
