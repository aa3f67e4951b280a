#include <algorithm>
#include <array>
#include <cstddef>

#include "weights/names/convention.h"

namespace vitrain::weights {
namespace {

// Returns the rules of Swin V2 or another second version, followed by those it
// shares with the first.
template <std::size_t New, std::size_t Old>
constexpr std::array<NameRule, New + Old> before(
    const NameRule (&second)[New],
    const NameRule (&first)[Old]) {
  std::array<NameRule, New + Old> rules{};
  std::ranges::copy(second, rules.begin());
  std::ranges::copy(first, rules.begin() + New);
  return rules;
}

constexpr std::string_view kTorchvisionVit[] = {
    "conv_proj.weight",
    "encoder.layers.encoder_layer_#.ln_1.weight"};
constexpr NameRule kTorchvisionVitRules[] = {
    {"class_token", "cls_token"},
    {"conv_proj.*", "patch_embed.proj.*"},
    {"encoder.pos_embedding", "pos_embed"},
    {"encoder.layers.encoder_layer_#.ln_1.*", "blocks.#.norm1.*"},
    {"encoder.layers.encoder_layer_#.ln_2.*", "blocks.#.norm2.*"},
    {"encoder.layers.encoder_layer_#.self_attention.in_proj_weight",
     "blocks.#.attn.qkv.weight"},
    {"encoder.layers.encoder_layer_#.self_attention.in_proj_bias",
     "blocks.#.attn.qkv.bias"},
    {"encoder.layers.encoder_layer_#.self_attention.out_proj.*",
     "blocks.#.attn.proj.*"},
    {"encoder.layers.encoder_layer_#.mlp.0.*", "blocks.#.mlp.fc1.*"},
    {"encoder.layers.encoder_layer_#.mlp.3.*", "blocks.#.mlp.fc2.*"},
    {"encoder.layers.encoder_layer_#.mlp.linear_1.*", "blocks.#.mlp.fc1.*"},
    {"encoder.layers.encoder_layer_#.mlp.linear_2.*", "blocks.#.mlp.fc2.*"},
    {"encoder.ln.*", "norm.*"},
    {"heads.head.*", "head.*"},
};

constexpr std::string_view kTorchvisionSwin[] = {
    "features.0.0.weight",
    "features.1.0.attn.qkv.weight"};
constexpr NameRule kTorchvisionSwinRules[] = {
    {"features.0.0.*", "patch_embed.proj.*"},
    {"features.0.2.*", "patch_embed.norm.*"},
    {"features.#.#.norm1.*", "layers.%.blocks.#.norm1.*"},
    {"features.#.#.attn.*", "layers.%.blocks.#.attn.*"},
    {"features.#.#.attn.qkv.*", "layers.%.blocks.#.attn.qkv.*"},
    {"features.#.#.attn.proj.*", "layers.%.blocks.#.attn.proj.*"},
    {"features.#.#.norm2.*", "layers.%.blocks.#.norm2.*"},
    {"features.#.#.mlp.0.*", "layers.%.blocks.#.mlp.fc1.*"},
    {"features.#.#.mlp.3.*", "layers.%.blocks.#.mlp.fc2.*"},
    {"features.#.norm.*", "layers.%.downsample.norm.*"},
    {"features.#.reduction.*", "layers.%.downsample.reduction.*"},
    {"head.*", "head.fc.*"},
};

constexpr std::string_view kTorchvisionSwinV2[] = {
    "features.0.0.weight",
    "features.1.0.attn.cpb_mlp.0.weight"};
// Rules of Swin V2. timm's keys have no bias; torchvision's is set to zero in
// each step.
constexpr auto kTorchvisionSwinV2Rules = before(
    {{"features.#.#.attn.cpb_mlp.#.*", "layers.%.blocks.#.attn.cpb_mlp.#.*"},
     {"features.#.#.attn.qkv.bias",
      "layers.%.blocks.#.attn.q_bias",
      Layout::kSame,
      1},
     {"features.#.#.attn.qkv.bias",
      "layers.%.blocks.#.attn.v_bias",
      Layout::kSame,
      3},
     {"features.#.#.attn.qkv.bias", ""}},
    kTorchvisionSwinRules);

constexpr std::string_view kTorchvisionConvnext[] = {
    "features.0.0.weight",
    "features.1.0.layer_scale"};
constexpr NameRule kTorchvisionConvnextRules[] = {
    {"features.0.0.*", "stem.0.*"},
    {"features.0.1.*", "stem.1.*"},
    {"features.#.#.layer_scale", "stages.%.blocks.#.gamma", Layout::kFlat},
    {"features.#.#.block.0.*", "stages.%.blocks.#.conv_dw.*"},
    {"features.#.#.block.2.*", "stages.%.blocks.#.norm.*"},
    {"features.#.#.block.3.*", "stages.%.blocks.#.mlp.fc1.*"},
    {"features.#.#.block.5.*", "stages.%.blocks.#.mlp.fc2.*"},
    {"features.#.#.*", "stages.%.downsample.#.*"},
    {"classifier.0.*", "head.norm.*"},
    {"classifier.2.*", "head.fc.*"},
};

constexpr std::string_view kTorchvisionEfficientNet[] = {
    "features.0.0.weight",
    "features.1.0.block.1.fc1.weight",
    "features.8.0.weight"};
constexpr NameRule kTorchvisionEfficientNetRules[] = {
    {"features.0.0.*", "conv_stem.*"},
    {"features.0.1.*", "bn1.*"},
    // The first stage has no expansion layers.
    {"features.1.#.block.0.0.*", "blocks.0.#.conv_dw.*"},
    {"features.1.#.block.0.1.*", "blocks.0.#.bn1.*"},
    {"features.1.#.block.1.fc1.*", "blocks.0.#.se.conv_reduce.*"},
    {"features.1.#.block.1.fc2.*", "blocks.0.#.se.conv_expand.*"},
    {"features.1.#.block.2.0.*", "blocks.0.#.conv_pw.*"},
    {"features.1.#.block.2.1.*", "blocks.0.#.bn2.*"},
    {"features.8.0.*", "conv_head.*"},
    {"features.8.1.*", "bn2.*"},
    {"features.#.#.block.0.0.*", "blocks.-.#.conv_pw.*"},
    {"features.#.#.block.0.1.*", "blocks.-.#.bn1.*"},
    {"features.#.#.block.1.0.*", "blocks.-.#.conv_dw.*"},
    {"features.#.#.block.1.1.*", "blocks.-.#.bn2.*"},
    {"features.#.#.block.2.fc1.*", "blocks.-.#.se.conv_reduce.*"},
    {"features.#.#.block.2.fc2.*", "blocks.-.#.se.conv_expand.*"},
    {"features.#.#.block.3.0.*", "blocks.-.#.conv_pwl.*"},
    {"features.#.#.block.3.1.*", "blocks.-.#.bn3.*"},
    {"classifier.1.*", "classifier.*"},
};

constexpr std::string_view kTorchvisionEfficientNetV2[] = {
    "features.0.0.weight",
    "features.2.0.block.1.0.weight",
    "features.4.0.block.2.fc1.weight"};
// A tensor of EfficientNet V1, whose first stages have squeeze-excitation;
// those of V2 do not.
constexpr std::string_view kNotEfficientNetV2[] = {
    "features.1.0.block.1.fc1.weight"};
// Rules of three stages of fused blocks, the first without expansion. The last
// convolution has the number after that of the last stage.
constexpr auto kTorchvisionEfficientNetV2Rules = before(
    {{"features.0.0.*", "conv_stem.*"},
     {"features.0.1.*", "bn1.*"},
     {"features.1.#.block.0.0.*", "blocks.0.#.conv.*"},
     {"features.1.#.block.0.1.*", "blocks.0.#.bn1.*"},
     {"features.2.#.block.0.0.*", "blocks.1.#.conv_exp.*"},
     {"features.2.#.block.1.0.*", "blocks.1.#.conv_pwl.*"},
     {"features.3.#.block.0.0.*", "blocks.2.#.conv_exp.*"},
     {"features.3.#.block.1.0.*", "blocks.2.#.conv_pwl.*"},
     {"features.#.0.*", "conv_head.*"},
     {"features.#.1.*", "bn2.*"}},
    kTorchvisionEfficientNetRules);

void note_epsilon(Archive& archive) {
  archive.notes.emplace_back(
      "torchvision's EfficientNetV2 and MobileNetV3 normalise with an epsilon "
      "of 0.001, timm's and ours with 0.00001");
}

// Numbers of the stem, the stages and the last convolution: counted.
constexpr std::int64_t kMobileNetV2Depths[] = {1, 1, 2, 3, 4, 3, 3, 1, 1};
constexpr std::string_view kTorchvisionMobileNetV2[] = {
    "features.1.conv.0.0.weight",
    "features.18.0.weight"};
constexpr NameRule kTorchvisionMobileNetV2Rules[] = {
    {"features.0.0.0.*", "conv_stem.*"},
    {"features.0.0.1.*", "bn1.*"},
    {"features.1.0.conv.0.0.*", "blocks.0.0.conv_dw.*"},
    {"features.1.0.conv.0.1.*", "blocks.0.0.bn1.*"},
    {"features.1.0.conv.1.*", "blocks.0.0.conv_pw.*"},
    {"features.1.0.conv.2.*", "blocks.0.0.bn2.*"},
    {"features.8.0.0.*", "conv_head.*"},
    {"features.8.0.1.*", "bn2.*"},
    {"features.#.#.conv.0.0.*", "blocks.-.#.conv_pw.*"},
    {"features.#.#.conv.0.1.*", "blocks.-.#.bn1.*"},
    {"features.#.#.conv.1.0.*", "blocks.-.#.conv_dw.*"},
    {"features.#.#.conv.1.1.*", "blocks.-.#.bn2.*"},
    {"features.#.#.conv.2.*", "blocks.-.#.conv_pwl.*"},
    {"features.#.#.conv.3.*", "blocks.-.#.bn3.*"},
    {"classifier.1.*", "classifier.*"},
};

constexpr std::int64_t kMobileNetV3LargeDepths[] = {1, 1, 2, 3, 4, 2, 3, 1};
constexpr std::int64_t kMobileNetV3SmallDepths[] = {1, 1, 2, 3, 2, 3, 1};
constexpr std::string_view kTorchvisionMobileNetV3Large[] = {
    "features.1.block.0.0.weight",
    "features.16.0.weight",
    "classifier.3.weight"};
constexpr std::string_view kTorchvisionMobileNetV3Small[] = {
    "features.1.block.0.0.weight",
    "features.12.0.weight",
    "classifier.3.weight"};
// The last convolution of a block has the number after that of its
// squeeze-excitation, if it has one. The first stage has no expansion layers.
constexpr NameRule kTorchvisionMobileNetV3Rules[] = {
    {"features.0.0.0.*", "conv_stem.*"},
    {"features.0.0.1.*", "bn1.*"},
    {"features.1.0.block.0.0.*", "blocks.0.0.conv_dw.*"},
    {"features.1.0.block.0.1.*", "blocks.0.0.bn1.*"},
    {"features.1.0.block.1.fc1.*", "blocks.0.0.se.conv_reduce.*"},
    {"features.1.0.block.1.fc2.*", "blocks.0.0.se.conv_expand.*"},
    {"features.1.0.block.#.0.*", "blocks.0.0.!conv_pw.*"},
    {"features.1.0.block.#.1.*", "blocks.0.0.!bn2.*"},
    {"features.#.#.block.0.0.*", "blocks.-.#.conv_pw.*"},
    {"features.#.#.block.0.1.*", "blocks.-.#.bn1.*"},
    {"features.#.#.block.1.0.*", "blocks.-.#.conv_dw.*"},
    {"features.#.#.block.1.1.*", "blocks.-.#.bn2.*"},
    {"features.#.#.block.2.fc1.*", "blocks.-.#.se.conv_reduce.*"},
    {"features.#.#.block.2.fc2.*", "blocks.-.#.se.conv_expand.*"},
    {"features.#.#.block.#.0.*", "blocks.-.#.!conv_pwl.*"},
    {"features.#.#.block.#.1.*", "blocks.-.#.!bn3.*"},
    {"features.#.#.0.*", "blocks.-.#.conv.*"},
    {"features.#.#.1.*", "blocks.-.#.bn1.*"},
    {"classifier.0.*", "conv_head.*", Layout::kOver1x1},
    {"classifier.3.*", "classifier.*"},
};

constexpr std::int64_t kMnasNetDepths[] = {8, 1, 1, 1, 1, 1, 1, 1, 1};
constexpr std::string_view kTorchvisionMnasNet[] = {
    "layers.8.0.layers.0.weight",
    "layers.14.weight"};
constexpr NameRule kTorchvisionMnasNetRules[] = {
    {"layers.0.0.*", "conv_stem.*"},
    {"layers.0.1.*", "bn1.*"},
    {"layers.0.3.*", "blocks.0.0.conv_dw.*"},
    {"layers.0.4.*", "blocks.0.0.bn1.*"},
    {"layers.0.6.*", "blocks.0.0.conv_pw.*"},
    {"layers.0.7.*", "blocks.0.0.bn2.*"},
    {"layers.7.0.*", "conv_head.*"},
    {"layers.8.0.*", "bn2.*"},
    {"layers.#.0.#.layers.0.*", "blocks.#.#.conv_pw.*"},
    {"layers.#.0.#.layers.1.*", "blocks.#.#.bn1.*"},
    {"layers.#.0.#.layers.3.*", "blocks.#.#.conv_dw.*"},
    {"layers.#.0.#.layers.4.*", "blocks.#.#.bn2.*"},
    {"layers.#.0.#.layers.6.*", "blocks.#.#.conv_pwl.*"},
    {"layers.#.0.#.layers.7.*", "blocks.#.#.bn3.*"},
    {"classifier.1.*", "classifier.*"},
};

constexpr std::string_view kTorchvisionRegNet[] = {
    "stem.0.weight",
    "trunk_output.block#.block#-#.f.a.0.weight"};
constexpr NameRule kTorchvisionRegNetRules[] = {
    {"stem.0.*", "stem.conv.*"},
    {"stem.1.*", "stem.bn.*"},
    {"trunk_output.block#.block#-#.proj.0.*", "s#.b!+.downsample.conv.*"},
    {"trunk_output.block#.block#-#.proj.1.*", "s#.b!+.downsample.bn.*"},
    {"trunk_output.block#.block#-#.f.a.0.*", "s#.b!+.conv1.conv.*"},
    {"trunk_output.block#.block#-#.f.a.1.*", "s#.b!+.conv1.bn.*"},
    {"trunk_output.block#.block#-#.f.b.0.*", "s#.b!+.conv2.conv.*"},
    {"trunk_output.block#.block#-#.f.b.1.*", "s#.b!+.conv2.bn.*"},
    {"trunk_output.block#.block#-#.f.se.fc1.*", "s#.b!+.se.fc1.*"},
    {"trunk_output.block#.block#-#.f.se.fc2.*", "s#.b!+.se.fc2.*"},
    {"trunk_output.block#.block#-#.f.c.0.*", "s#.b!+.conv3.conv.*"},
    {"trunk_output.block#.block#-#.f.c.1.*", "s#.b!+.conv3.bn.*"},
    {"fc.*", "head.fc.*"},
};

constexpr std::string_view kTorchvisionVgg[] = {
    "features.0.weight",
    "classifier.0.weight",
    "classifier.3.weight"};
constexpr NameRule kTorchvisionVggRules[] = {
    {"classifier.0.*", "pre_logits.fc1.*", Layout::kOver7x7},
    {"classifier.3.*", "pre_logits.fc2.*", Layout::kOver1x1},
    {"classifier.6.*", "head.fc.*"},
};

constexpr std::string_view kTorchvisionDenseNet[] = {
    "features.denseblock#.denselayer#.norm.1.weight"};
constexpr NameRule kTorchvisionDenseNetRules[] = {
    {"features.denseblock#.denselayer#.norm.#.*",
     "features.denseblock#.denselayer#.norm#.*"},
    {"features.denseblock#.denselayer#.conv.#.*",
     "features.denseblock#.denselayer#.conv#.*"},
};

// Rules that leave out the auxiliary classifiers; other names are timm's.
constexpr std::string_view kTorchvisionInception[] = {
    "Mixed_5b.branch1x1.conv.weight",
    "AuxLogits.fc.weight"};
constexpr NameRule kTorchvisionInceptionRules[] = {
    {"AuxLogits.conv#.conv.*", ""},
    {"AuxLogits.conv#.bn.*", ""},
    {"AuxLogits.fc.*", ""},
};

constexpr std::string_view kTorchvisionGoogLeNet[] = {
    "inception3a.branch1.conv.weight",
    "aux#.fc1.weight"};
constexpr NameRule kTorchvisionGoogLeNetRules[] = {
    {"aux#.conv.conv.*", ""},
    {"aux#.conv.bn.*", ""},
    {"aux#.fc#.*", ""},
};

// No entry for ResNet: timm uses torchvision's names.
constexpr auto kTorchvision = std::to_array<Convention>({
    {"torchvision", "ViT", {}, kTorchvisionVit, kTorchvisionVitRules},
    {"torchvision", "Swin V2", {}, kTorchvisionSwinV2, kTorchvisionSwinV2Rules},
    {"torchvision", "Swin", {}, kTorchvisionSwin, kTorchvisionSwinRules},
    {"torchvision",
     "ConvNeXt",
     {},
     kTorchvisionConvnext,
     kTorchvisionConvnextRules},
    {"torchvision",
     "EfficientNet",
     {},
     kTorchvisionEfficientNet,
     kTorchvisionEfficientNetRules},
    {.program = "torchvision",
     .family = "EfficientNetV2",
     .prefixes = {},
     .signature = kTorchvisionEfficientNetV2,
     .rules = kTorchvisionEfficientNetV2Rules,
     .prepare = note_epsilon,
     .without = kNotEfficientNetV2},
    {.program = "torchvision",
     .family = "MobileNet V2",
     .prefixes = {},
     .signature = kTorchvisionMobileNetV2,
     .rules = kTorchvisionMobileNetV2Rules,
     .counted = "features.",
     .depths = kMobileNetV2Depths},
    {.program = "torchvision",
     .family = "MobileNet V3 Large",
     .prefixes = {},
     .signature = kTorchvisionMobileNetV3Large,
     .rules = kTorchvisionMobileNetV3Rules,
     .prepare = note_epsilon,
     .counted = "features.",
     .depths = kMobileNetV3LargeDepths},
    {.program = "torchvision",
     .family = "MobileNet V3 Small",
     .prefixes = {},
     .signature = kTorchvisionMobileNetV3Small,
     .rules = kTorchvisionMobileNetV3Rules,
     .prepare = note_epsilon,
     .counted = "features.",
     .depths = kMobileNetV3SmallDepths},
    {.program = "torchvision",
     .family = "MnasNet",
     .prefixes = {},
     .signature = kTorchvisionMnasNet,
     .rules = kTorchvisionMnasNetRules,
     .counted = "layers.",
     .depths = kMnasNetDepths},
    {"torchvision", "RegNet", {}, kTorchvisionRegNet, kTorchvisionRegNetRules},
    {"torchvision", "VGG", {}, kTorchvisionVgg, kTorchvisionVggRules},
    {"torchvision",
     "DenseNet",
     {},
     kTorchvisionDenseNet,
     kTorchvisionDenseNetRules},
    {"torchvision",
     "Inception V3",
     {},
     kTorchvisionInception,
     kTorchvisionInceptionRules},
    {"torchvision",
     "GoogLeNet",
     {},
     kTorchvisionGoogLeNet,
     kTorchvisionGoogLeNetRules},
});

} // namespace

std::span<const Convention> torchvision_conventions() {
  return kTorchvision;
}

} // namespace vitrain::weights
