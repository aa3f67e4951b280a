#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/families/family.h"
#include "models/families/multiple_of_8.h"

namespace vitrain::models {

// A sequence of `depth` equal blocks. The network rounds widths to multiples of
// 8.
struct ByobBlocks {
  enum class Kind {
    kBottleneck, // 1x1, 3x3, 1x1
    kSelfAttention, // 1x1, attention over pixels, 1x1
    kMobileOne, // parallel convolutions
    // A transformer over pixels that have the same position in their patches.
    kMobileVit,
    kMobileVit2, // kMobileVit with separable attention
  };
  // Channel attention: a factor for each channel, computed from the channels'
  // means by two layers (kSqueeze: squeeze-excitation) or by one convolution
  // over neighbouring channels (kEca).
  enum class Gate { kNone, kSqueeze, kEca };

  Kind kind = Kind::kBottleneck;
  std::int64_t depth = 1;
  double width = 0.0; // output channels
  std::int64_t stride = 1; // stride of the first block
  // Channels per group of the main (3x3 or kernel x kernel) convolution; 0: one
  // group.
  std::int64_t group = 0;
  double ratio = 1.0; // hidden width / output width
  Gate gate = Gate::kNone;
  bool inverted = false; // `ratio` is hidden width / input width instead
  // No nonlinearity after the last convolution and the skip connection.
  bool linear = false;
  std::int64_t kernel = 3; // kMobileOne: side of the parallel convolutions
  // kMobileOne: number of parallel convolutions with side `kernel`.
  std::int64_t branches = 1;
  // kMobileVit, kMobileVit2: width of the transformer; 0: ratio * input width.
  std::int64_t transformer_width = 0;
  // kMobileVit, kMobileVit2: number of transformer blocks.
  std::int64_t transformer_depth = 0;
  // kMobileVit, kMobileVit2: side of a patch, in pixels of the feature map.
  std::int64_t patch = 2;
  // kSelfAttention: side of a block in which pixels attend to each other, in
  // pixels of the feature map; 0: the whole map.
  std::int64_t block = 0;
  // kSelfAttention: width, in pixels, of the border around a block to which its
  // pixels also attend.
  std::int64_t halo = 0;
  std::int64_t heads = 0; // kSelfAttention: number of heads
  // kSelfAttention: width of a head's queries and keys; 0: qk_ratio * hidden
  // width / heads.
  std::int64_t head_width = 0;
  double qk_ratio = 1.0;
};

// A network of ByobBlocks (timm's ByobNet).
struct ByobSpec {
  enum class Stem {
    kMobileOne, // a MobileOne block
    k3x3, // one 3x3 convolution
    k7x7, // one 7x7 convolution
    kTiered, // three 3x3 convolutions of increasing width
  };
  Stem stem = Stem::k3x3;
  std::int64_t stem_width = 0;
  // k7x7, kTiered: 3x3 max pooling with stride 2 follows the convolutions; if
  // false, the last convolution of kTiered has stride 2 instead.
  bool pool = false;
  bool silu = false; // SiLU instead of ReLU
  // Blocks that change the shape have a skip connection with a projection;
  // false: they have no skip connection.
  bool project = true;
  double squeeze = 1.0 / 16.0; // reduced width / width, for Gate::kSqueeze
  std::int64_t features = 0; // width of a last 1x1 convolution; 0: none
  std::vector<std::vector<ByobBlocks>> stages;
};

// Returns MobileOne's stages: `depths` pairs of a depthwise and a pointwise
// block, each of `branches` parallel convolutions. `factors` multiply 64, 128,
// 256 and 512 channels; the last `gated` pairs of each stage have
// squeeze-excitation.
std::vector<std::vector<ByobBlocks>> mobileone_stages(
    const std::vector<std::int64_t>& depths,
    const std::vector<double>& factors,
    const std::vector<std::int64_t>& gated,
    std::int64_t branches);

// Family::describe of all families whose networks are ByobSpecs.
std::string describe_byob(const ModelSpec& spec);

// Returns a family of the networks in `table`. `any_image_size` is false if
// some weights depend on the image size (attention over all pixels).
template <const auto& table>
Family byob_family(
    const char* name,
    decltype(Family::check) check,
    bool any_image_size = true) {
  return {
      .name = name,
      .list = names_in<table>,
      .find = find_in<table>,
      .options = drop_path_option,
      .check = check,
      .describe = describe_byob,
      .identity = any_image_size ? channels_identity : image_identity,
      .classifier = {"head.fc."},
      .layers =
          layers_in_blocks("stem", R"(stages\.(\d+)\.(\d+))", "final_conv"),
      .any_image_size = any_image_size,
      .channels_last = true};
}

// MobileOne (Vasu et al., "MobileOne: an improved one millisecond mobile
// backbone", CVPR 2023) as it is trained, with all parallel branches.
extern const Family kMobileOne;

// MobileViT (Mehta and Rastegari, ICLR 2022) and MobileViT v2 ("Separable
// self-attention for mobile vision transformers", TMLR 2023).
extern const Family kMobileVit;

// HaloNet: attention within blocks of pixels and their halos (Vaswani et al.,
// "Scaling local self-attention for parameter efficient visual backbones", CVPR
// 2021).
extern const Family kHaloNet;

// BoTNet: attention over all pixels in the last stages (Srinivas et al.,
// "Bottleneck transformers for visual recognition", CVPR 2021).
extern const Family kBotNet;

// ResNets with a stem of three convolutions and SiLU, without attention over
// pixels.
extern const Family kTieredResNet;

} // namespace vitrain::models
