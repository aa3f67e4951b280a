#pragma once

#include <array>
#include <cstdint>

#include "models/families/family.h"

namespace vitrain::models {

// Numbers of a small convolutional network: two convolutions, each with a
// pooling by 2, and two linear layers.
struct ConvNetSpec {
  std::array<std::int64_t, 2> widths{10, 20};
  std::int64_t kernel = 5;
  std::int64_t hidden = 50; // width of the first linear layer
  double dropout = 0.5;
};

// The network of PyTorch's and Horovod's MNIST examples: convolution 5x5 to 10
// channels, pooling, ReLU; the same to 20 channels with whole channels dropped;
// a linear layer of 50 units with dropout; the classes. Parameters have the
// names there.
extern const Family kConvNet;

} // namespace vitrain::models
