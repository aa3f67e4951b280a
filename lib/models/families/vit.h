#pragma once

#include <cstdint>

#include "models/families/family.h"

namespace vitrain::models {

// Numbers of a vision transformer (Dosovitskiy et al., "An image is worth 16x16
// words", ICLR 2021).
struct VitSpec {
  std::int64_t patch_size = 16;
  std::int64_t embed_dim = 768;
  std::int64_t depth = 12;
  std::int64_t num_heads = 12;
  std::int64_t mlp_dim = 3072; // hidden width of the MLP
  double dropout = 0.0; // of activations
  double attention_dropout = 0.0; // of attention's weights

  bool operator==(const VitSpec&) const = default;
};

// Vision transformers with class token, learned positions, pre-norm blocks and
// exact GELU: timm's VisionTransformer with its defaults.
extern const Family kVit;

} // namespace vitrain::models
