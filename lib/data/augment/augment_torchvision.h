#pragma once

#include <string_view>

#include "data/augment/augment_op.h"

namespace vitrain::data {

// torchvision's class that defines the ranges of magnitudes.
enum class TorchvisionSpace { kRand, kAuto, kTrivial, kMix };

// One of torchvision's operations, by the name of its _apply_op.
struct TorchvisionOp {
  std::string_view name;
  PixelOp op = PixelOp::kIdentity;
  bool is_signed = false; // either sign, each as often
};

// Throws std::out_of_range for a name that torchvision does not have.
const TorchvisionOp& torchvision_op(std::string_view name);

// Magnitude `bin` of `bins` for an image of this size, without its sign. In
// single precision as torch.linspace, whose vector instructions differ from
// machine to machine in last bits; this is the plain formula.
double torchvision_magnitude(
    const TorchvisionOp& op,
    TorchvisionSpace space,
    int bin,
    int bins,
    int width,
    int height);

// _apply_op with a magnitude, sign included.
PixelStep torchvision_step(const TorchvisionOp& op, double magnitude);

} // namespace vitrain::data
