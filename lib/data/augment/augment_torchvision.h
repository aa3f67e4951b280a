#pragma once

#include <string_view>

#include "data/augment/augment_op.h"

namespace vitrain::data {

// The class of torchvision that defines the ranges of magnitudes: RandAugment,
// AutoAugment, TrivialAugmentWide or AugMix.
enum class TorchvisionSpace { kRand, kAuto, kTrivial, kMix };

// One of torchvision's operations, by its name in torchvision's _apply_op.
struct TorchvisionOp {
  std::string_view name;
  PixelOp op = PixelOp::kIdentity;
  bool is_signed = false; // the sign of the magnitude is random
};

// Returns the operation with this name. Throws std::out_of_range if torchvision
// has none.
const TorchvisionOp& torchvision_op(std::string_view name);

// Returns magnitude number `bin` (from 0) of `bins` (at least 2), without sign,
// for an image of this size; 0 for operations without magnitude. Computed in
// single precision with the plain formula of torch.linspace; torch's vector
// instructions differ between machines in the last bits.
double torchvision_magnitude(
    const TorchvisionOp& op,
    TorchvisionSpace space,
    int bin,
    int bins,
    int width,
    int height);

// Returns the step of torchvision's _apply_op for a signed magnitude.
PixelStep torchvision_step(const TorchvisionOp& op, double magnitude);

} // namespace vitrain::data
