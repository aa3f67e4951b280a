#include <array>

#include "weights/names/convention.h"

// EfficientNet-PyTorch's names, which EfficientNet-Lite-PyTorch has as well. It
// counts the blocks through all stages.
namespace vitrain::weights {
namespace {

// Behind "_blocks." the stage and the block in it.
constexpr NameRule kRules[] = {
    {"_conv_stem.*", "conv_stem.*"},
    {"_bn0.*", "bn1.*"},
    {"_blocks.#.#._se_reduce.*", "blocks.#.#.se.conv_reduce.*"},
    {"_blocks.#.#._se_expand.*", "blocks.#.#.se.conv_expand.*"},
    // The first stage has no expansion.
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

using Depths = std::array<std::int64_t, 7>;
using Signature = std::array<std::string_view, 2>;

// The number of all blocks says how many each stage has: no two of these have
// the same sum. Those of more blocks first, as their files have the names of
// those of fewer blocks as well.
constexpr Depths kDepths[] = {
    {4, 8, 8, 11, 11, 15, 4}, // B8
    {4, 7, 7, 10, 10, 13, 4}, // B7
    {3, 6, 6, 8, 8, 11, 3}, // B6
    {3, 5, 5, 7, 7, 9, 3}, // B5
    {2, 4, 4, 6, 6, 8, 2}, // B4
    {1, 4, 4, 6, 6, 8, 1}, // Lite4
    {2, 3, 3, 5, 5, 6, 2}, // B3
    {1, 3, 3, 5, 5, 6, 1}, // Lite3
    {2, 3, 3, 4, 4, 5, 2}, // B1, B2
    {1, 3, 3, 4, 4, 5, 1}, // Lite1, Lite2
    {1, 2, 2, 3, 3, 4, 1}, // B0, Lite0
};
// Of the last block.
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
  std::array<Convention, std::size(kDepths)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = {
        .program = "efficientnet_pytorch",
        .family = "EfficientNet",
        .prefixes = {},
        .signature = kSignatures[i],
        .rules = kRules,
        .counted = "_blocks.",
        .depths = kDepths[i]};
  }
  return all;
}();

} // namespace

std::span<const Convention> efficientnet_pytorch_conventions() {
  return kConventions;
}

} // namespace vitrain::weights
