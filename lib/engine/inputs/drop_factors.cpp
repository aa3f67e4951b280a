#include "engine/inputs/drop_factors.h"

#include <ATen/ATen.h>

#include "core/random.h"

namespace vitrain::engine {

at::Tensor drop_factors(
    const std::vector<double>& rates,
    std::uint64_t seed,
    std::int64_t step,
    std::int64_t first,
    std::int64_t count) {
  if (rates.empty()) {
    return {};
  }
  at::Tensor factors =
      at::empty({static_cast<std::int64_t>(rates.size()), count}, at::kFloat);
  auto table = factors.accessor<float, 2>();
  for (std::int64_t i = 0; i < count; ++i) {
    Random random(
        seed,
        Purpose::kDropPath,
        static_cast<std::uint64_t>(step),
        static_cast<std::uint64_t>(first + i));
    for (std::size_t layer = 0; layer < rates.size(); ++layer) {
      const bool dropped = random.uniform() < rates[layer];
      table[static_cast<std::int64_t>(layer)][i] =
          dropped ? 0.0F : static_cast<float>(1.0 / (1.0 - rates[layer]));
    }
  }
  return factors;
}

} // namespace vitrain::engine
