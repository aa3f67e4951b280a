#pragma once

#include <filesystem>

#include "core/json.h"

namespace vitrain::weights {

// Returns what a PyTorch checkpoint (zip format) says about its network and
// images besides tensors, in the form of timm's config.json; null if it says
// nothing, for other formats, and if it cannot be read:
// - its "pretrained_cfg" or "default_cfg";
// - else its "arch" and the "args" of the program that trained it: timm's mean,
//   std, interpolation, crop_pct, input_size and img_size; of torchvision's
//   references interpolation, val_resize_size and val_crop_size.
Json read_torch_config(const std::filesystem::path& path);

} // namespace vitrain::weights
