#include "engine/inputs/multi_hot.h"

#include <ATen/ATen.h>

namespace vitrain::engine {

at::Tensor multi_hot(
    const data::Index& index,
    std::span<const std::int64_t> samples,
    std::int64_t classes) {
  at::Tensor targets = at::zeros({std::ssize(samples), classes}, at::kFloat);
  auto* first = targets.mutable_data_ptr<float>();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (const std::int32_t label : index.label_set(samples[i])) {
      first[static_cast<std::int64_t>(i) * classes + label] = 1.0F;
    }
  }
  return targets;
}

} // namespace vitrain::engine
