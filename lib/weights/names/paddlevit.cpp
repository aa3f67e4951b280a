#include <array>

#include "weights/names/convention.h"
#include "weights/names/levit_layers.h"
#include "weights/names/shared_rules.h"

namespace vitrain::weights {
namespace {

constexpr std::string_view kPaddleVit[] = {
    "patch_embedding.patch_embedding.weight",
    "encoder.layers.#.attn.qkv.weight"};
constexpr NameRule kPaddleVitRules[] = {
    {"patch_embedding.patch_embedding.*", "patch_embed.proj.*"},
    {"position_embedding", "pos_embed"},
    {"distill_token", "dist_token"},
    {"encoder.layers.#.attn_norm.*", "blocks.#.norm1.*"},
    {"encoder.layers.#.attn.qkv.*", "blocks.#.attn.qkv.*"},
    {"encoder.layers.#.attn.out.*", "blocks.#.attn.proj.*"},
    {"encoder.layers.#.attn.proj.*", "blocks.#.attn.proj.*"},
    {"encoder.layers.#.mlp_norm.*", "blocks.#.norm2.*"},
    {"encoder.layers.#.mlp.fc1.*", "blocks.#.mlp.fc1.*"},
    {"encoder.layers.#.mlp.fc2.*", "blocks.#.mlp.fc2.*"},
    {"encoder.encoder_norm.*", "norm.*"},
    {"encoder.norm.*", "norm.*"},
    {"classifier.*", "head.*"},
    {"classifier_dist.*", "head_dist.*"},
};

constexpr std::string_view kPaddleSwin[] = {
    "patch_embedding.patch_embed.weight",
    "stages.#.blocks.#.attn.qkv.weight"};
constexpr NameRule kPaddleSwinRules[] = {
    {"patch_embedding.patch_embed.*", "patch_embed.proj.*"},
    {"patch_embedding.norm.*", "patch_embed.norm.*"},
    {"stages.#.blocks.#.norm1.*", "layers.#.blocks.#.norm1.*"},
    {"stages.#.blocks.#.attn.*", "layers.#.blocks.#.attn.*"},
    {"stages.#.blocks.#.attn.qkv.*", "layers.#.blocks.#.attn.qkv.*"},
    {"stages.#.blocks.#.attn.proj.*", "layers.#.blocks.#.attn.proj.*"},
    {"stages.#.blocks.#.norm2.*", "layers.#.blocks.#.norm2.*"},
    {"stages.#.blocks.#.mlp.fc1.*", "layers.#.blocks.#.mlp.fc1.*"},
    {"stages.#.blocks.#.mlp.fc2.*", "layers.#.blocks.#.mlp.fc2.*"},
    {"stages.#.downsample.norm.*", "layers.+.downsample.norm.*"},
    {"stages.#.downsample.reduction.*", "layers.+.downsample.reduction.*"},
    {"fc.*", "head.fc.*"},
};

constexpr std::string_view kPaddlePvtV2[] = {
    "patch_embedding1.patch_embed.weight",
    "block1.#.mlp.dwconv.dwconv.weight"};

constexpr std::string_view kPaddleCait[] = {
    "patch_embed.patch_embed.weight",
    "blocks_token_only.#.attn.q.weight"};
constexpr NameRule kPaddleCaitRules[] = {
    {"patch_embed.patch_embed.*", "patch_embed.proj.*"},
};

constexpr std::string_view kPaddleVolo[] = {
    "patch_embed.stem.0.weight",
    "model.0.#.attn.attn.weight"};
constexpr NameRule kPaddleVoloRules[] = {
    {"patch_embed.stem.#.*", "patch_embed.conv.#.*"},
    {"model.#.proj.*", "network.#.proj.*"},
    {"model.#.#.norm1.*", "network.#.#.norm1.*"},
    {"model.#.#.norm2.*", "network.#.#.norm2.*"},
    {"model.#.#.attn.v.*", "network.#.#.attn.v.*"},
    {"model.#.#.attn.attn.*", "network.#.#.attn.attn.*"},
    {"model.#.#.attn.qkv.*", "network.#.#.attn.qkv.*"},
    {"model.#.#.attn.proj.*", "network.#.#.attn.proj.*"},
    {"model.#.#.mlp.fc1.*", "network.#.#.mlp.fc1.*"},
    {"model.#.#.mlp.fc2.*", "network.#.#.mlp.fc2.*"},
    {"post_model.#.norm1.*", "post_network.#.norm1.*"},
    {"post_model.#.norm2.*", "post_network.#.norm2.*"},
    {"post_model.#.attn.q.*", "post_network.#.attn.q.*"},
    {"post_model.#.attn.kv.*", "post_network.#.attn.kv.*"},
    {"post_model.#.attn.proj.*", "post_network.#.attn.proj.*"},
    {"post_model.#.mlp.fc1.*", "post_network.#.mlp.fc1.*"},
    {"post_model.#.mlp.fc2.*", "post_network.#.mlp.fc2.*"},
};

// PaddleViT's parallel blocks have an MLP per scale; timm's have one. Its mlp3
// and mlp4 keep names that no model here has.
constexpr std::string_view kPaddleCoat[] = {
    "patch_embeds.#.patch_embed.weight",
    "crpes.#.conv_list.#.weight"};
constexpr NameRule kPaddleCoatRules[] = {
    {"cls_tokens.#", "cls_token+"},
    {"patch_embeds.#.patch_embed.*", "patch_embed+.proj.*"},
    {"patch_embeds.#.norm.*", "patch_embed+.norm.*"},
    {"cpes.#.proj.*", "cpe+.proj.*"},
    {"crpes.#.conv_list.#.*", "crpe+.conv_list.#.*"},
    // Duplicates of tensors that the scale's blocks share.
    {"serial_blocks.#.#.cpe.proj.*", ""},
    {"serial_blocks.#.#.factoratt_crpe.crpe.conv_list.#.*", ""},
    {"serial_blocks.#.#.norm1.*", "serial_blocks+.#.norm1.*"},
    {"serial_blocks.#.#.norm2.*", "serial_blocks+.#.norm2.*"},
    {"serial_blocks.#.#.factoratt_crpe.qkv.*",
     "serial_blocks+.#.factoratt_crpe.qkv.*"},
    {"serial_blocks.#.#.factoratt_crpe.proj.*",
     "serial_blocks+.#.factoratt_crpe.proj.*"},
    {"serial_blocks.#.#.mlp.fc1.*", "serial_blocks+.#.mlp.fc1.*"},
    {"serial_blocks.#.#.mlp.fc2.*", "serial_blocks+.#.mlp.fc2.*"},
};

constexpr std::string_view kPaddleLevit[] = {
    "patch_embed.0.conv.weight",
    "blocks.#.attn.kv.linear.weight"};
constexpr NameRule kPaddleLevitRules[] = {
    {"patch_embed.0.conv.*", "stem.conv1.linear.*"},
    {"patch_embed.0.norm.*", "stem.conv1.bn.*"},
    {"patch_embed.2.conv.*", "stem.conv2.linear.*"},
    {"patch_embed.2.norm.*", "stem.conv2.bn.*"},
    {"patch_embed.4.conv.*", "stem.conv3.linear.*"},
    {"patch_embed.4.norm.*", "stem.conv3.bn.*"},
    {"patch_embed.6.conv.*", "stem.conv4.linear.*"},
    {"patch_embed.6.norm.*", "stem.conv4.bn.*"},
    {"stages.#.blocks.#.attn.qkv.norm.*", "stages.#.blocks.#.attn.qkv.bn.*"},
    {"stages.#.blocks.#.attn.proj.1.linear.*",
     "stages.#.blocks.#.attn.proj.ln.linear.*"},
    {"stages.#.blocks.#.attn.proj.1.norm.*",
     "stages.#.blocks.#.attn.proj.ln.bn.*"},
    {"stages.#.blocks.#.attn.attn_biases",
     "stages.#.blocks.#.attn.attention_biases"},
    {"stages.#.blocks.#.mlp.ln1.norm.*", "stages.#.blocks.#.mlp.ln1.bn.*"},
    {"stages.#.blocks.#.mlp.ln2.norm.*", "stages.#.blocks.#.mlp.ln2.bn.*"},
    {"stages.#.blocks.#.attn.attn_bias_idxs", ""},
    {"stages.#.downsample.attn.attn_bias_idxs", ""},
    {"stages.#.downsample.attn.kv.linear.*",
     "stages.#.downsample.attn_downsample.kv.linear.*"},
    {"stages.#.downsample.attn.kv.norm.*",
     "stages.#.downsample.attn_downsample.kv.bn.*"},
    {"stages.#.downsample.attn.q.1.linear.*",
     "stages.#.downsample.attn_downsample.q.ln.linear.*"},
    {"stages.#.downsample.attn.q.1.norm.*",
     "stages.#.downsample.attn_downsample.q.ln.bn.*"},
    {"stages.#.downsample.attn.proj.1.linear.*",
     "stages.#.downsample.attn_downsample.proj.ln.linear.*"},
    {"stages.#.downsample.attn.proj.1.norm.*",
     "stages.#.downsample.attn_downsample.proj.ln.bn.*"},
    {"stages.#.downsample.attn.attn_biases",
     "stages.#.downsample.attn_downsample.attention_biases"},
    {"stages.#.downsample.mlp.ln1.norm.*", "stages.#.downsample.mlp.ln1.bn.*"},
    {"stages.#.downsample.mlp.ln2.norm.*", "stages.#.downsample.mlp.ln2.bn.*"},
    {"head.norm.*", "head.bn.*"},
    {"head_dist.norm.*", "head_dist.bn.*"},
};

constexpr std::string_view kPaddleHvt[] = {
    "patch_embed.proj.weight",
    "layers.#.attn.qkv.weight"};
constexpr NameRule kPaddleHvtRules[] = {
    {"layers.#.norm1.*", "blocks.#.norm1.*"},
    {"layers.#.attn.qkv.*", "blocks.#.attn.qkv.*"},
    {"layers.#.attn.proj.*", "blocks.#.attn.proj.*"},
    {"layers.#.norm2.*", "blocks.#.norm2.*"},
    {"layers.#.mlp.fc1.*", "blocks.#.mlp.fc1.*"},
    {"layers.#.mlp.fc2.*", "blocks.#.mlp.fc2.*"},
    {"layers.#.pos_embed", "blocks.#.pos_embed"},
};

// Each block of MobileOne is two of timm's: the depthwise and the pointwise
// one.
constexpr std::string_view kPaddleMobileOne[] = {
    "stages.0.0.dw_3x3_blocks.0.conv.weight",
    "stages.#.#.pw_1x1_blocks.#.conv.weight"};
constexpr NameRule kPaddleMobileOneRules[] = {
    {"stages.0.0.dw_3x3_blocks.#.conv.*", "stem.conv_kxk.#.conv.*"},
    {"stages.0.0.dw_3x3_blocks.#.norm.*", "stem.conv_kxk.#.bn.*"},
    {"stages.0.0.dw_1x1.conv.*", "stem.conv_scale.conv.*"},
    {"stages.0.0.dw_1x1.norm.*", "stem.conv_scale.bn.*"},
    {"stages.#.#.dw_3x3_blocks.#.conv.*", "stages.-.<.conv_kxk.#.conv.*"},
    {"stages.#.#.dw_3x3_blocks.#.norm.*", "stages.-.<.conv_kxk.#.bn.*"},
    {"stages.#.#.dw_1x1.conv.*", "stages.-.<.conv_scale.conv.*"},
    {"stages.#.#.dw_1x1.norm.*", "stages.-.<.conv_scale.bn.*"},
    {"stages.#.#.dw_skip.*", "stages.-.<.identity.*"},
    {"stages.#.#.dw_se.reduce.*", "stages.-.<.attn.fc1.*"},
    {"stages.#.#.dw_se.expand.*", "stages.-.<.attn.fc2.*"},
    {"stages.#.#.pw_1x1_blocks.#.conv.*", "stages.-.>.conv_kxk.#.conv.*"},
    {"stages.#.#.pw_1x1_blocks.#.norm.*", "stages.-.>.conv_kxk.#.bn.*"},
    {"stages.#.#.pw_skip.*", "stages.-.>.identity.*"},
    {"stages.#.#.pw_se.reduce.*", "stages.-.>.attn.fc1.*"},
    {"stages.#.#.pw_se.expand.*", "stages.-.>.attn.fc2.*"},
    {"fc.*", "head.fc.*"},
};

constexpr std::string_view kPaddleHaloNet[] = {
    "stage1.blocks.0.conv1_1x1.conv.weight",
    "stage#.blocks.#.self_attn.pos_embed.rel_height"};
constexpr NameRule kPaddleHaloNetRules[] = {
    {"stage#.blocks.#.conv1_1x1.conv.*", "stages.-.#.conv1_1x1.conv.*"},
    {"stage#.blocks.#.conv1_1x1.bn.*", "stages.-.#.conv1_1x1.bn.*"},
    {"stage#.blocks.#.conv2_kxk.conv.*", "stages.-.#.conv2_kxk.conv.*"},
    {"stage#.blocks.#.conv2_kxk.bn.*", "stages.-.#.conv2_kxk.bn.*"},
    {"stage#.blocks.#.self_attn.q.*", "stages.-.#.self_attn.q.*"},
    {"stage#.blocks.#.self_attn.kv.*", "stages.-.#.self_attn.kv.*"},
    {"stage#.blocks.#.self_attn.pos_embed.rel_height",
     "stages.-.#.self_attn.pos_embed.height_rel"},
    {"stage#.blocks.#.self_attn.pos_embed.rel_width",
     "stages.-.#.self_attn.pos_embed.width_rel"},
    {"stage#.blocks.#.post_attn.bn.*", "stages.-.#.post_attn.*"},
    {"stage#.blocks.#.conv3_1x1.conv.*", "stages.-.#.conv3_1x1.conv.*"},
    {"stage#.blocks.#.conv3_1x1.bn.*", "stages.-.#.conv3_1x1.bn.*"},
    {"stage#.blocks.#.creat_shortcut.conv.*", "stages.-.#.shortcut.conv.*"},
    {"stage#.blocks.#.creat_shortcut.bn.*", "stages.-.#.shortcut.bn.*"},
    {"classifier.1.*", "head.fc.*"},
};

// PaddleViT's BEiT has timm's names. Its MobileViT is a different network.
constexpr auto kPaddlevit = std::to_array<Convention>({
    {"paddlevit", "ViT", {}, kPaddleVit, kPaddleVitRules},
    {"paddlevit", "Swin", {}, kPaddleSwin, kPaddleSwinRules},
    {"paddlevit", "PVT v2", {}, kPaddlePvtV2, kPvtV2Rules},
    {"paddlevit",
     "PoolFormer",
     {},
     kPoolFormerNames,
     kPoolFormerRules,
     note_order_of_pooling},
    {"paddlevit", "PiT", {}, kPitNames, kPitRules},
    {"paddlevit", "CrossViT", {}, kCrossVitNames, kCrossVitRules},
    {"paddlevit", "ConvMixer", {}, kConvMixerNames, kConvMixerRules},
    {"paddlevit", "CaiT", {}, kPaddleCait, kPaddleCaitRules},
    {"paddlevit", "XCiT", {}, kXcitNames, kXcitRules},
    {"paddlevit", "VOLO", {}, kPaddleVolo, kPaddleVoloRules},
    {"paddlevit",
     "LeViT",
     {},
     kPaddleLevit,
     kPaddleLevitRules,
     number_paddlevit_levit},
    {"paddlevit", "CoaT", {}, kPaddleCoat, kPaddleCoatRules},
    {"paddlevit", "HVT", {}, kPaddleHvt, kPaddleHvtRules},
    {"paddlevit", "MobileOne", {}, kPaddleMobileOne, kPaddleMobileOneRules},
    {"paddlevit", "HaloNet", {}, kPaddleHaloNet, kPaddleHaloNetRules},
});

} // namespace

std::span<const Convention> paddlevit_conventions() {
  return kPaddlevit;
}

} // namespace vitrain::weights
