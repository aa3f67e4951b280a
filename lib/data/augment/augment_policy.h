#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/random.h"
#include "data/augment/augment_op.h"
#include "options/auto_augment.h"

namespace vitrain::data {

// An augmentation policy, with interpolation and fill colour of its geometric
// operations. Policies of PaddleViT ignore both: they use kNearest and grey
// (black for rotations).
struct PolicyOptions : AutoAugment {
  // nullopt: bilinear or bicubic, sampled for each operation.
  std::optional<image::Interpolation> interpolation =
      image::Interpolation::kBicubic;
  std::array<std::uint8_t, 3> fill{};
};

// Changes pixels in place. Draws all random numbers from the given stream: a
// pure function of the options, the pixels and the stream. Thread-safe.
using AugmentPolicy = std::function<
    void(const image::Canvas&, Random& random, AugmentScratch& scratch)>;

// Requires options that parse_auto_augment() has set.
AugmentPolicy make_policy(const PolicyOptions& options);

} // namespace vitrain::data
