#pragma once

#include <array>
#include <cstdint>

#include "models/families/family.h"

namespace vitrain::models {

// Numbers of a network of inverted residual blocks, in up to seven stages.
struct EfficientNetSpec {
  enum class Block {
    kSeparable, // a depthwise convolution and one over the channels
    kInverted, // more channels, a depthwise convolution, fewer channels
    kFused, // the first two of these in one convolution
    kPlain, // one convolution
  };
  struct Stage {
    Block block = Block::kInverted;
    std::int64_t repeats = 0; // 0: there is no such stage
    std::int64_t kernel = 3;
    std::int64_t stride = 1; // of the first block
    std::int64_t expansion = 1; // hidden over input channels
    std::int64_t width = 0; // output channels
    bool squeeze = false; // with squeeze-excitation
  };
  std::array<Stage, 7> stages{};
  std::int64_t stem = 32; // channels of the first convolution
  std::int64_t head = 1280; // and of the last
  bool relu6 = false; // in place of SiLU
  // TensorFlow's padding: an odd zero is added at the end.
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

// EfficientNet (Tan and Le, ICML 2019), EfficientNet-Lite (without squeeze-
// excitation, ReLU6) and EfficientNet V2 (Tan and Le, ICML 2021); "tf_": with
// the padding and the BatchNorm of TensorFlow. Works in channels_last, weights
// included.
extern const Family kEfficientNet;

} // namespace vitrain::models
