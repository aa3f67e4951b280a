#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/families/family.h"

namespace vitrain::models {

// A network of stages of mobile blocks, all numbers of channels resolved.
struct EfficientNetSpec {
  enum class Activation { kRelu, kRelu6, kSilu, kHardSwish, kGelu };
  struct Block {
    enum class Kind {
      kPlain, // one convolution
      kSeparable, // a depthwise convolution and a 1x1 convolution
      // 1x1 convolution to more channels, depthwise, 1x1 to fewer channels.
      kInverted,
      kFused, // kInverted with its first two convolutions fused into one
      // kInverted with an optional depthwise convolution before it; the one
      // within it is optional, too (Qin et al., "MobileNetV4", ECCV 2024).
      kUniversal,
      // Attention whose heads share keys and values (Shazeer, "Fast transformer
      // decoding", 2019).
      kQueryAttention,
    };
    Kind kind = Kind::kInverted;
    std::int64_t in = 0; // input channels
    std::int64_t hidden = 0; // channels between the block's convolutions
    std::int64_t out = 0; // output channels
    // Kernel side of the block's convolution that is not 1x1; kUniversal: 0 for
    // no such convolution.
    std::int64_t kernel = 3;
    // kUniversal: kernel of the depthwise convolution before the first 1x1 one;
    // 0: there is none.
    std::int64_t first_kernel = 0;
    std::int64_t stride = 1;
    std::int64_t group = 0; // channels per group of kFused; 0: one group
    std::int64_t squeezed = 0; // squeeze-excitation's channels; 0: none
    Activation activation = Activation::kRelu;
    bool activates_output = false; // an activation after the last convolution
    bool skip = false; // adds the input to the output
    std::int64_t heads = 0;
    std::int64_t head_width = 0;
    std::int64_t key_stride = 1; // kQueryAttention: stride of keys and values
    // Kernels of the depthwise convolutions of parts of the channels (Tan and
    // Le, "MixConv", BMVC 2019), which replace `kernel`; empty: no parts.
    std::vector<std::int64_t> kernels{};
    // kInverted: number of parts of the channels of its first 1x1 convolution.
    std::size_t expand_parts = 1;
    // kInverted: number of parts of the channels of its last 1x1 convolution.
    std::size_t project_parts = 1;
  };
  enum class Head {
    kNone, // mean over pixels
    kConv, // 1x1 convolution with BatchNorm, activation, mean
    kMeanFirst, // mean, 1x1 convolution without BatchNorm, activation
    kMeanFirstBias, // kMeanFirst with a bias
    kMeanFirstNorm, // mean, 1x1 convolution with BatchNorm, activation
  };
  std::vector<std::vector<Block>> stages;
  std::int64_t stem = 32; // channels of the first convolution
  std::int64_t stem_kernel = 3;
  std::int64_t features = 1280; // inputs of the classifier
  Head head = Head::kConv;
  Activation activation = Activation::kSilu; // activation of stem and head
  // Squeeze-excitation: hard sigmoid, and ReLU instead of the block's
  // activation.
  bool hard_gate = false;
  bool relu_squeeze = false;
  // Average pooling after the activation instead of a stride in blocks.
  bool average_down = false;
  double layer_scale = 0.0; // initial value in kUniversal; 0: none
  // TensorFlow's "SAME" padding: if the number of zeros is odd, the extra one
  // is at the end.
  bool same_padding = false;
  double norm_eps = 1e-5;

  std::int64_t blocks() const;
};

// Description of a network before its scaling. `stages` has timm's notation:
// stages separated by spaces, types of blocks by commas, their parts by
// underscores. A part is the kind (cn kPlain, ds kSeparable, dsa with an
// activation after the block, ir kInverted, er kFused, uir kUniversal, mqa
// kQueryAttention), a number (r blocks of this type, k kernel, a kernel of the
// first convolution, s stride of the first block, e hidden / input channels, c
// output channels, fc channels that e multiplies instead of the input's, se
// squeezed channels, as a ratio, gs channels per group, h heads, d their width,
// v stride of keys and values) or a word (nre: ReLU, nsw: SiLU, noskip: no skip
// connection, skip: also for kPlain). r, k, s and e are 1, 3, 1 and 1 if
// absent. Numbers with dots are of parts of the channels: k3.5 two depthwise
// convolutions, a1.1 and p1.1 two 1x1 convolutions before and after them.
struct EfficientNetDesign {
  enum class Stem { kScaled, kNeverNarrower, kFixed };
  enum class Squeeze {
    kOfInput, // ratio to the block's input channels
    kOfHidden, // ratio to the channels that it gates
    kOfHiddenBy8, // kOfHidden, rounded to a multiple of 8
    kOfInputBy8,
  };
  std::string_view stages;
  // Numbers that are the same at every scale; stem and features before scaling.
  EfficientNetSpec numbers{};
  Stem stem = Stem::kScaled;
  bool wide_features = false; // features grow with widths above 1
  Squeeze squeeze = Squeeze::kOfInput;
  bool fixed_ends = false; // first and last stage keep their depth
  bool nearest_depth = false; // rounds depths to nearest instead of up
  double least = 0.9; // argument `least` of multiple_of_8()
};

// Returns the network with channels multiplied by `width` and numbers of blocks
// by `depth`. Throws Error(kInternal) for stages that it cannot read.
EfficientNetSpec scaled(
    const EfficientNetDesign& design,
    double width = 1.0,
    double depth = 1.0);

// Row of a table of networks.
struct ScaledNetwork {
  const char* name; // with "tf_": TensorFlow's padding and eps
  std::int64_t image_size;
  const EfficientNetDesign* design;
  double width = 1.0;
  double depth = 1.0;
};

// Family::find for the networks of `table`, and Family::describe.
std::optional<ModelSpec> find_scaled(
    std::span<const ScaledNetwork> table,
    const std::string& name);

std::string describe_blocks(const ModelSpec& spec);

// Returns a family defined by a table of ScaledNetwork. `end`: for layer decay,
// a pattern of the parameters that join the last block; null: none does.
template <const auto& table>
Family scaled_family(const char* name, const char* end) {
  std::vector<LayerRule> layers =
      layers_in_blocks("conv_stem|bn1", R"(blocks\.(\d+)\.(\d+))", end);
  if (end == nullptr) {
    layers.pop_back();
  }
  return {
      .name = name,
      .list = names_in<table>,
      .find =
          [](const std::string& given) { return find_scaled(table, given); },
      .options = drop_path_option,
      .check = check_least<32>,
      .describe = describe_blocks,
      .identity = channels_identity,
      .classifier = {"classifier."},
      .layers = std::move(layers),
      .any_image_size = true,
      .channels_last = true,
      .memory_overhead = 1.35};
}

// EfficientNet (Tan and Le, ICML 2019), its Lite and EdgeTPU forms,
// EfficientNet V2 (Tan and Le, ICML 2021), MobileNet V1 (Howard et al., 2017)
// and V2 (Sandler et al., CVPR 2018), MnasNet (Tan et al., CVPR 2019), and
// related networks. Names with "tf_" have TensorFlow's padding and its eps of
// BatchNorm (0.001). Images and weights are in channels_last.
extern const Family kEfficientNet;

// As kEfficientNet, but with the mean over pixels before the last convolution:
// MobileNet V3 (Howard et al., ICCV 2019), V4 (Qin et al., ECCV 2024), LCNet
// (Cui et al., 2021), and related networks.
extern const Family kMobileNet;

} // namespace vitrain::models
