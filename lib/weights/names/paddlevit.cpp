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

// Its parallel blocks have an MLP for each scale, where timm's have one: their
// mlp3 and mlp4 stay under names that no model here has.
constexpr std::string_view kPaddleCoat[] = {
    "patch_embeds.#.patch_embed.weight",
    "crpes.#.conv_list.#.weight"};
constexpr NameRule kPaddleCoatRules[] = {
    {"cls_tokens.#", "cls_token+"},
    {"patch_embeds.#.patch_embed.*", "patch_embed+.proj.*"},
    {"patch_embeds.#.norm.*", "patch_embed+.norm.*"},
    {"cpes.#.proj.*", "cpe+.proj.*"},
    {"crpes.#.conv_list.#.*", "crpe+.conv_list.#.*"},
    // Those of the scale again.
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

// Its BEiT has timm's names.
constexpr auto kPaddlevit = std::to_array<Convention>({
    {"paddlevit", "ViT", {}, kPaddleVit, kPaddleVitRules},
    {"paddlevit", "Swin", {}, kPaddleSwin, kPaddleSwinRules},
    {"paddlevit", "PVT v2", {}, kPaddlePvtV2, kPvtV2Rules},
    {"paddlevit", "PoolFormer", {}, kPoolFormerNames, kPoolFormerRules},
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
});

} // namespace

std::span<const Convention> paddlevit_conventions() {
  return kPaddlevit;
}

} // namespace vitrain::weights
