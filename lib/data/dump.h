#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/load/pipeline.h"

namespace vitrain::data {

struct DumpOptions {
  // Preprocessing as in training or evaluation; nullopt: `resize`, `crop`,
  // `filter` and `pillow` determine it.
  std::optional<TransformOptions> transform;
  // torchvision's Resize(resize) of the shorter side with `filter` and `pillow`
  // (0: no resize), then its CenterCrop(crop) (0: no crop).
  int resize = 0;
  int crop = 0;
  Filter filter = Filter::kBicubic;
  image::Pillow pillow = image::Pillow::k12;
  // With a training transform, file k is transformed as sample first_sample + k
  // of epoch `epoch` (from 0).
  std::int64_t epoch = 0;
  std::int64_t first_sample = 0;
};

// Passes to `write`, in pieces, a .npy file with the pixels of image files:
// uint8 [files, height, width, channels]; nothing if there are no files. Throws
// Error(kData) naming a file that cannot be decoded or whose size differs from
// the first one's, possibly after pieces have been written. Returns the files
// whose values of more than 8 bits were clipped (never any if `transform` has
// other than 1 or 3 channels).
std::vector<std::string> dump_pixels(
    std::span<const std::string> files,
    const DumpOptions& options,
    const std::function<void(std::string_view bytes)>& write);

} // namespace vitrain::data
