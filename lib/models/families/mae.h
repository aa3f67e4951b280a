#pragma once

#include <cstdint>

#include "models/families/family.h"
#include "models/families/vit.h"

namespace vitrain::models {

// Sizes and options of a masked autoencoder.
struct MaeSpec {
  VitSpec encoder; // also defines patch size, width and blocks
  VitSpec decoder{
      .embed_dim = 512,
      .depth = 8,
      .num_heads = 16,
      .mlp_dim = 2048};
  double mask_ratio = 0.75;
  bool norm_pix_loss = true;

  // Returns the number of visible patches, rounded as the authors do.
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
