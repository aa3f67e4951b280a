#include "engine/inputs/dropout.h"

#include <ATen/Context.h>

#include "core/random.h"

namespace vitrain::engine {

at::Generator dropout_masks(
    const at::Device& device,
    const config::ModelConfig& model,
    std::uint64_t seed,
    std::int64_t step,
    std::int64_t k) {
  if (model.dropout == 0.0 && model.attention_dropout == 0.0 &&
      model.head_dropout == 0.0 && model.lora.dropout == 0.0) {
    return {};
  }
  Random random(
      seed,
      Purpose::kDropout,
      static_cast<std::uint64_t>(step),
      static_cast<std::uint64_t>(k));
  at::Generator masks = at::globalContext().defaultGenerator(device).clone();
  masks.set_current_seed(random.next_u64());
  return masks;
}

} // namespace vitrain::engine
