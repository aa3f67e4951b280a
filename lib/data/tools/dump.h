#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/load/pipeline.h"

namespace vitrain::data {

struct DumpOptions {
  std::optional<TransformOptions> transform;
  // Without one: torchvision's Resize of the shorter side, or 0 for the pixels
  // as they are decoded; then its CenterCrop, unless 0.
  int resize = 0;
  int crop = 0;
  Filter filter = Filter::kBicubic;
  image::Pillow pillow = image::Pillow::k12;
  // In training: file k is taken for sample first_sample + k of this epoch.
  std::int64_t epoch = 0;
  std::int64_t first_sample = 0;
};

// Writes the pixels of image files as a .npy file of uint8 [files, height,
// width, channels]. Throws Error(kData) that names a file which cannot be
// decoded or differs in size from the first one, Error(kStorage) if `out`
// cannot be written; `out` does not exist then. Returns the files whose values
// were clipped (image::Image::clipped).
std::vector<std::string> dump_pixels(
    std::span<const std::string> files,
    const DumpOptions& options,
    const std::filesystem::path& out);

} // namespace vitrain::data
