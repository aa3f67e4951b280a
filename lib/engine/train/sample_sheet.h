#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "logging/picture.h"

namespace vitrain::engine {

// samples.png: images of a training batch as the network receives them, with
// the names of their classes. Drawn and compressed on a separate thread while
// training continues.
class SampleSheet {
 public:
  // `images`: [N, height, width, channels] uint8 on the CPU, all shown;
  // `labels`: [N] int64 on the CPU, for a mixed image the label with the larger
  // share; undefined without labels. `classes`: names by label.
  SampleSheet(
      at::Tensor images,
      at::Tensor labels,
      const std::vector<std::string>& classes);

  // Returns the picture once, as soon as it is drawn; nullopt before and
  // afterwards. `wait`: waits until it is drawn.
  std::optional<logging::Picture> take(bool wait);

  // Returns how many of `images` images with this number of pixels can be
  // shown: at most 64, and fewer (at least 4) the larger they are.
  static std::int64_t
  count(std::int64_t images, std::int64_t height, std::int64_t width);

 private:
  std::future<logging::Picture> drawn_;
};

} // namespace vitrain::engine
