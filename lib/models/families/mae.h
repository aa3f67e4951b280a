#pragma once

#include <cstdint>

#include "models/families/family.h"
#include "models/families/vit.h"

namespace vitrain::models {

// Sizes and options of a masked autoencoder.
struct MaeSpec {
  VitSpec encoder; // its patch_size is also the decoder's
  VitSpec decoder{
      .embed_dim = 512,
      .depth = 8,
      .num_heads = 16,
      .mlp_dim = 2048};
  double mask_ratio = 0.75; // fraction of the patches that are hidden
  bool norm_pix_loss = true; // targets are normalised per patch

  // Returns the number of visible patches, rounded down as the authors do.
  std::int64_t seen(std::int64_t patches) const {
    return static_cast<std::int64_t>(
        static_cast<double>(patches) * (1.0 - mask_ratio));
  }
};

// Masked autoencoders (He et al., "Masked autoencoders are scalable vision
// learners", CVPR 2022): a transformer learns to predict the pixels of hidden
// patches. Names and numbers follow the authors' models_mae.py.
extern const Family kMae;

} // namespace vitrain::models
