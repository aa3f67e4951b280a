#pragma once

#include <cstdint>
#include <memory>

#include "models/model.h"

namespace vitrain::models {

// A vision transformer with class token, learned positions, pre-norm blocks and
// exact GELU: timm's VisionTransformer with its defaults. Requires a resolved
// spec of the family kVit.
std::shared_ptr<Model> make_vit(const ModelSpec& spec, std::uint64_t seed);

} // namespace vitrain::models
