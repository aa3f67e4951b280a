#include <array>

#include "weights/names/convention.h"
#include "weights/names/efficientnet_depths.h"

// Names of EfficientNet-PyTorch and EfficientNet-Lite-PyTorch, which number
// blocks consecutively over all stages.
namespace vitrain::weights {
namespace {

// Rules for names with the stage and the block in it (by_stages()) after
// "_blocks.", where the files have the number of the block.
constexpr NameRule kRules[] = {
    {"_conv_stem.*", "conv_stem.*"},
    {"_bn0.*", "bn1.*"},
    {"_blocks.#.#._se_reduce.*", "blocks.#.#.se.conv_reduce.*"},
    {"_blocks.#.#._se_expand.*", "blocks.#.#.se.conv_expand.*"},
    // The first stage has no expansion layers.
    {"_blocks.0.#._depthwise_conv.*", "blocks.0.#.conv_dw.*"},
    {"_blocks.0.#._bn1.*", "blocks.0.#.bn1.*"},
    {"_blocks.0.#._project_conv.*", "blocks.0.#.conv_pw.*"},
    {"_blocks.0.#._bn2.*", "blocks.0.#.bn2.*"},
    {"_blocks.#.#._expand_conv.*", "blocks.#.#.conv_pw.*"},
    {"_blocks.#.#._bn0.*", "blocks.#.#.bn1.*"},
    {"_blocks.#.#._depthwise_conv.*", "blocks.#.#.conv_dw.*"},
    {"_blocks.#.#._bn1.*", "blocks.#.#.bn2.*"},
    {"_blocks.#.#._project_conv.*", "blocks.#.#.conv_pwl.*"},
    {"_blocks.#.#._bn2.*", "blocks.#.#.bn3.*"},
    {"_conv_head.*", "conv_head.*"},
    {"_bn1.*", "bn2.*"},
    {"_fc.*", "classifier.*"},
};

using Signature = std::array<std::string_view, 2>;

// Signature for each row of kEfficientNetDepths: a tensor of the last block.
constexpr Signature kSignatures[] = {
    {"_conv_stem.weight", "_blocks.60._bn1.weight"},
    {"_conv_stem.weight", "_blocks.54._bn1.weight"},
    {"_conv_stem.weight", "_blocks.44._bn1.weight"},
    {"_conv_stem.weight", "_blocks.38._bn1.weight"},
    {"_conv_stem.weight", "_blocks.31._bn1.weight"},
    {"_conv_stem.weight", "_blocks.29._bn1.weight"},
    {"_conv_stem.weight", "_blocks.25._bn1.weight"},
    {"_conv_stem.weight", "_blocks.23._bn1.weight"},
    {"_conv_stem.weight", "_blocks.22._bn1.weight"},
    {"_conv_stem.weight", "_blocks.20._bn1.weight"},
    {"_conv_stem.weight", "_blocks.15._bn1.weight"},
};

constexpr auto kConventions = [] {
  std::array<Convention, std::size(kEfficientNetDepths)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = {
        .program = "efficientnet_pytorch",
        .family = "EfficientNet",
        .prefixes = {},
        .signature = kSignatures[i],
        .rules = kRules,
        .prepare = mark_tensorflow_padding,
        .counted = "_blocks.",
        .depths = kEfficientNetDepths[i]};
  }
  return all;
}();

} // namespace

std::span<const Convention> efficientnet_pytorch_conventions() {
  return kConventions;
}

} // namespace vitrain::weights
