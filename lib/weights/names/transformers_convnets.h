#pragma once

#include <array>
#include <iterator>

#include "weights/names/convention.h"
#include "weights/names/efficientnet_depths.h"

// RegNet and EfficientNet of transformers.
namespace vitrain::weights {

inline constexpr std::string_view kTransformersRegNetPrefixes[] = {"regnet."};
// Without the prefix, a RegNetX has the same names as a ResNet; a RegNetY has
// not.
inline constexpr std::string_view kTransformersRegNet[] = {
    "regnet.embedder.embedder.convolution.weight"};
inline constexpr std::string_view kTransformersRegNetY[] = {
    "embedder.embedder.convolution.weight",
    "encoder.stages.#.layers.#.layer.2.attention.0.weight"};
inline constexpr NameRule kTransformersRegNetRules[] = {
    {"embedder.embedder.convolution.*", "stem.conv.*"},
    {"embedder.embedder.normalization.*", "stem.bn.*"},
    {"encoder.stages.#.layers.#.shortcut.convolution.*",
     "s+.b+.downsample.conv.*"},
    {"encoder.stages.#.layers.#.shortcut.normalization.*",
     "s+.b+.downsample.bn.*"},
    {"encoder.stages.#.layers.#.layer.0.convolution.*", "s+.b+.conv1.conv.*"},
    {"encoder.stages.#.layers.#.layer.0.normalization.*", "s+.b+.conv1.bn.*"},
    {"encoder.stages.#.layers.#.layer.1.convolution.*", "s+.b+.conv2.conv.*"},
    {"encoder.stages.#.layers.#.layer.1.normalization.*", "s+.b+.conv2.bn.*"},
    {"encoder.stages.#.layers.#.layer.2.attention.0.*", "s+.b+.se.fc1.*"},
    {"encoder.stages.#.layers.#.layer.2.attention.2.*", "s+.b+.se.fc2.*"},
    // The last convolution of RegNetX, and of RegNetY.
    {"encoder.stages.#.layers.#.layer.2.convolution.*", "s+.b+.conv3.conv.*"},
    {"encoder.stages.#.layers.#.layer.2.normalization.*", "s+.b+.conv3.bn.*"},
    {"encoder.stages.#.layers.#.layer.3.convolution.*", "s+.b+.conv3.conv.*"},
    {"encoder.stages.#.layers.#.layer.3.normalization.*", "s+.b+.conv3.bn.*"},
    {"classifier.1.*", "head.fc.*"},
};

inline constexpr std::string_view kTransformersEfficientNetPrefixes[] = {
    "efficientnet."};
// The file numbers blocks over all stages; Convention::counted has replaced
// that number by stage and block in the stage (`#.#`) before these rules apply.
inline constexpr NameRule kTransformersEfficientNetRules[] = {
    {"embeddings.convolution.*", "conv_stem.*"},
    {"embeddings.batchnorm.*", "bn1.*"},
    {"encoder.blocks.#.#.squeeze_excite.reduce.*",
     "blocks.#.#.se.conv_reduce.*"},
    {"encoder.blocks.#.#.squeeze_excite.expand.*",
     "blocks.#.#.se.conv_expand.*"},
    // The first stage has no expansion layers.
    {"encoder.blocks.0.#.depthwise_conv.depthwise_conv.*",
     "blocks.0.#.conv_dw.*"},
    {"encoder.blocks.0.#.depthwise_conv.depthwise_norm.*", "blocks.0.#.bn1.*"},
    {"encoder.blocks.0.#.projection.project_conv.*", "blocks.0.#.conv_pw.*"},
    {"encoder.blocks.0.#.projection.project_bn.*", "blocks.0.#.bn2.*"},
    {"encoder.blocks.#.#.expansion.expand_conv.*", "blocks.#.#.conv_pw.*"},
    {"encoder.blocks.#.#.expansion.expand_bn.*", "blocks.#.#.bn1.*"},
    {"encoder.blocks.#.#.depthwise_conv.depthwise_conv.*",
     "blocks.#.#.conv_dw.*"},
    {"encoder.blocks.#.#.depthwise_conv.depthwise_norm.*", "blocks.#.#.bn2.*"},
    {"encoder.blocks.#.#.projection.project_conv.*", "blocks.#.#.conv_pwl.*"},
    {"encoder.blocks.#.#.projection.project_bn.*", "blocks.#.#.bn3.*"},
    {"encoder.top_conv.*", "conv_head.*"},
    {"encoder.top_bn.*", "bn2.*"},
};

inline constexpr std::string_view kTransformersStem =
    "embeddings.convolution.weight";
// Signature for each row of kEfficientNetDepths: the stem and a tensor of the
// last block.
inline constexpr std::array<std::string_view, 2>
    kTransformersEfficientNetSignatures[] = {
        {kTransformersStem, "encoder.blocks.60.projection.project_bn.weight"},
        {kTransformersStem, "encoder.blocks.54.projection.project_bn.weight"},
        {kTransformersStem, "encoder.blocks.44.projection.project_bn.weight"},
        {kTransformersStem, "encoder.blocks.38.projection.project_bn.weight"},
        {kTransformersStem, "encoder.blocks.31.projection.project_bn.weight"},
        {kTransformersStem, "encoder.blocks.29.projection.project_bn.weight"},
        {kTransformersStem, "encoder.blocks.25.projection.project_bn.weight"},
        {kTransformersStem, "encoder.blocks.23.projection.project_bn.weight"},
        {kTransformersStem, "encoder.blocks.22.projection.project_bn.weight"},
        {kTransformersStem, "encoder.blocks.20.projection.project_bn.weight"},
        {kTransformersStem, "encoder.blocks.15.projection.project_bn.weight"},
};

inline constexpr auto kTransformersEfficientNets = [] {
  std::array<Convention, std::size(kEfficientNetDepths)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = {
        .program = "transformers",
        .family = "EfficientNet",
        .prefixes = kTransformersEfficientNetPrefixes,
        .signature = kTransformersEfficientNetSignatures[i],
        .rules = kTransformersEfficientNetRules,
        .prepare = mark_tensorflow_padding,
        .counted = "encoder.blocks.",
        .depths = kEfficientNetDepths[i]};
  }
  return all;
}();

} // namespace vitrain::weights
