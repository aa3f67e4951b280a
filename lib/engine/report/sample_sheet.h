#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "data/sources/index.h"
#include "logging/records/event.h"

namespace vitrain::engine {

// samples.png: images of a training batch as the network receives them, with
// the names of their classes. Drawn and compressed on a separate thread while
// training continues.
class SampleSheet {
 public:
  // `images`: [N, height, width, channels] uint8 on the CPU, of which the first
  // ones are shown; `labels`: [N], for a mixed image the label of the larger
  // share; undefined without labels.
  SampleSheet(
      at::Tensor images,
      at::Tensor labels,
      const std::vector<std::string>& classes);

  // The picture, once it is there; then absent. `wait`: until it is there.
  std::optional<logging::Picture> take(bool wait);

  // How many images of a size are shown.
  static std::int64_t
  count(std::int64_t images, std::int64_t height, std::int64_t width);

 private:
  std::future<logging::Picture> drawn_;
};

} // namespace vitrain::engine
