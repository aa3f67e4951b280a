#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include "config/sections/erase.h"
#include "data/augment/erase.h"

namespace vitrain::engine {

// Fills boxes of an image [C, H, W] fp32 in place; `noise` is a generator on
// its device. The numbers are a function of erasing.noise and the device type.
void erase_boxes(
    const at::Tensor& image,
    const data::Erasing& erasing,
    config::EraseMode mode,
    at::Generator& noise);

} // namespace vitrain::engine
