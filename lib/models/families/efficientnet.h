#pragma once

#include <array>
#include <cstdint>

#include "models/families/family.h"

namespace vitrain::models {

// A network of inverted residual blocks, in up to seven stages.
struct EfficientNetSpec {
  enum class Block {
    kSeparable, // a depthwise convolution and a 1x1 convolution
    // 1x1 convolution to more channels, depthwise, 1x1 to fewer channels.
    kInverted,
    kFused, // kInverted with its first two convolutions fused into one
    kPlain, // one convolution
  };
  struct Stage {
    Block block = Block::kInverted;
    std::int64_t repeats = 0; // number of blocks; 0: no such stage
    std::int64_t kernel = 3;
    std::int64_t stride = 1; // stride of the first block
    std::int64_t expansion = 1; // hidden channels / input channels
    std::int64_t width = 0; // output channels
    bool squeeze = false; // squeeze-excitation
  };
  std::array<Stage, 7> stages{};
  std::int64_t stem = 32; // channels of the first convolution
  std::int64_t head = 1280; // channels of the last convolution
  bool relu6 = false; // ReLU6 instead of SiLU
  // TensorFlow's "SAME" padding: if the number of zeros is odd, the extra one
  // is at the end.
  bool same_padding = false;
  double norm_eps = 1e-5;

  std::int64_t blocks() const {
    std::int64_t sum = 0;
    for (const Stage& stage : stages) {
      sum += stage.repeats;
    }
    return sum;
  }
};

// EfficientNet (Tan and Le, ICML 2019), EfficientNet-Lite (without
// squeeze-excitation, with ReLU6) and EfficientNet V2 (Tan and Le, ICML 2021).
// Names with "tf_" have TensorFlow's padding and its eps of BatchNorm (0.001).
// Images and weights are in channels_last.
extern const Family kEfficientNet;

} // namespace vitrain::models
