#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/families/family.h"
#include "models/families/multiple_of_8.h"

namespace vitrain::models {

// A sequence of blocks of one kind. The network rounds widths to multiples of
// 8.
struct ByobBlocks {
  enum class Kind {
    kBottleneck, // 1x1, 3x3, 1x1
    kSelfAttention, // 1x1, attention over pixels, 1x1
    kMobileOne, // parallel convolutions
    kMobileVit, // a transformer over pixels of equal position in their patches
    kMobileVit2, // the same with separable attention
  };
  // Channel attention: a factor for each channel, computed from the channels'
  // means.
  enum class Gate { kNone, kSqueeze, kEca };

  Kind kind = Kind::kBottleneck;
  std::int64_t depth = 1;
  double width = 0.0; // output channels
  std::int64_t stride = 1; // of a stage's first block
  std::int64_t group = 0; // channels of a group; 0: a single group
  double ratio = 1.0; // hidden width / output width
  Gate gate = Gate::kNone;
  bool inverted = false; // `ratio` is hidden width / input width
  bool linear = false; // no nonlinearity at the end
  // kMobileOne.
  std::int64_t kernel = 3;
  std::int64_t branches = 1;
  // kMobileVit, kMobileVit2.
  std::int64_t transformer_width = 0; // 0: by `ratio`
  std::int64_t transformer_depth = 0;
  std::int64_t patch = 2;
  // kSelfAttention.
  std::int64_t block = 0; // side of a block, in pixels; 0: the whole image
  std::int64_t halo =
      0; // width of the border around a block that it also attends to
  std::int64_t heads = 0;
  std::int64_t head_width = 0; // of queries and keys; 0: by qk_ratio
  double qk_ratio = 1.0;
};

// Numbers of a network of such blocks (timm's ByobNet).
struct ByobSpec {
  enum class Stem {
    kMobileOne, // such a block
    k3x3, // one convolution
    k7x7, // one convolution, and pooling
    kTiered, // three 3x3 of rising width
  };
  Stem stem = Stem::k3x3;
  std::int64_t stem_width = 0;
  // kTiered: a pooling follows; otherwise the last convolution has the stride.
  bool pool = false;
  bool silu = false; // else ReLU
  bool project =
      true; // projections on skip connections where the shape changes
  double squeeze = 1.0 / 16.0; // of Gate::kSqueeze
  std::int64_t features = 0; // of a last convolution 1x1; 0: none
  std::vector<std::vector<ByobBlocks>> stages;
};

// Returns MobileOne's stages: pairs of a depthwise and a pointwise block.
// `factors` multiply 64, 128, 256 and 512 channels; the last `gated` pairs of
// each stage have squeeze-excitation.
std::vector<std::vector<ByobBlocks>> mobileone_stages(
    const std::vector<std::int64_t>& depths,
    const std::vector<double>& factors,
    const std::vector<std::int64_t>& gated,
    std::int64_t branches);

// Family::describe of all of them.
std::string describe_byob(const ModelSpec& spec);

// A family of the networks of a table, whose weights fit images of any size
// unless attention sees all pixels.
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

// Vasu et al., "MobileOne: an improved one millisecond mobile backbone", CVPR
// 2023, with all the branches that are trained.
extern const Family kMobileOne;

// Mehta and Rastegari, "MobileViT", ICLR 2022, and "Separable self-attention
// for mobile vision transformers", TMLR 2023.
extern const Family kMobileVit;

// Vaswani et al., "Scaling local self-attention for parameter efficient visual
// backbones", CVPR 2021: attention within blocks of pixels and a halo.
extern const Family kHaloNet;

// Srinivas et al., "Bottleneck transformers for visual recognition", CVPR 2021:
// attention over all pixels of the last stages.
extern const Family kBotNet;

} // namespace vitrain::models
