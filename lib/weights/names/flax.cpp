#include <array>

#include "weights/names/convention.h"

namespace vitrain::weights {
namespace {

using enum Layout;

// vision_transformer's (AugReg) and big_vision's ViT differ in the numbers of
// their modules alone.
constexpr std::string_view kFlaxPrefixes[] = {"opt/target/", "params/"};
constexpr std::string_view kFlaxVit[] = {
    "embedding/kernel",
    "Transformer/encoder_norm/scale"};
constexpr NameRule kFlaxVitRules[] = {
    {"cls", "cls_token"},
    {"embedding/kernel", "patch_embed.proj.weight", kHwio},
    {"embedding/bias", "patch_embed.proj.bias"},
    {"Transformer/posembed_input/pos_embedding", "pos_embed"},
    {"pos_embedding", "pos_embed"},
    {"Transformer/encoderblock_#/LayerNorm_0/scale", "blocks.#.norm1.weight"},
    {"Transformer/encoderblock_#/LayerNorm_0/bias", "blocks.#.norm1.bias"},
    {"Transformer/encoderblock_#/LayerNorm_1/scale", "blocks.#.norm2.weight"},
    {"Transformer/encoderblock_#/LayerNorm_1/bias", "blocks.#.norm2.bias"},
    {"Transformer/encoderblock_#/LayerNorm_2/scale", "blocks.#.norm2.weight"},
    {"Transformer/encoderblock_#/LayerNorm_2/bias", "blocks.#.norm2.bias"},
    // The number of a module (attention 0 or 1, MLP 0 or 3) is not needed.
    {"Transformer/encoderblock_#/MultiHeadDotProductAttention_#/@/kernel",
     "blocks.#.attn.qkv.weight",
     kHeadsOut},
    {"Transformer/encoderblock_#/MultiHeadDotProductAttention_#/@/bias",
     "blocks.#.attn.qkv.bias",
     kHeadsOut},
    {"Transformer/encoderblock_#/MultiHeadDotProductAttention_#/out/kernel",
     "blocks.#.attn.proj.weight",
     kHeadsIn},
    {"Transformer/encoderblock_#/MultiHeadDotProductAttention_#/out/bias",
     "blocks.#.attn.proj.bias"},
    {"Transformer/encoderblock_#/MlpBlock_#/Dense_0/kernel",
     "blocks.#.mlp.fc1.weight",
     kTransposed},
    {"Transformer/encoderblock_#/MlpBlock_#/Dense_0/bias",
     "blocks.#.mlp.fc1.bias"},
    {"Transformer/encoderblock_#/MlpBlock_#/Dense_1/kernel",
     "blocks.#.mlp.fc2.weight",
     kTransposed},
    {"Transformer/encoderblock_#/MlpBlock_#/Dense_1/bias",
     "blocks.#.mlp.fc2.bias"},
    {"Transformer/encoder_norm/scale", "norm.weight"},
    {"Transformer/encoder_norm/bias", "norm.bias"},
    {"pre_logits/*", ""},
    {"head/kernel", "head.weight", kTransposed},
    {"head/bias", "head.bias"},
};

constexpr std::string_view kFlaxMixer[] = {
    "stem/kernel",
    "MixerBlock_#/token_mixing/Dense_0/kernel"};
constexpr NameRule kFlaxMixerRules[] = {
    {"stem/kernel", "stem.proj.weight", kHwio},
    {"stem/bias", "stem.proj.bias"},
    {"MixerBlock_#/LayerNorm_0/scale", "blocks.#.norm1.weight"},
    {"MixerBlock_#/LayerNorm_0/bias", "blocks.#.norm1.bias"},
    {"MixerBlock_#/LayerNorm_1/scale", "blocks.#.norm2.weight"},
    {"MixerBlock_#/LayerNorm_1/bias", "blocks.#.norm2.bias"},
    {"MixerBlock_#/token_mixing/Dense_0/kernel",
     "blocks.#.mlp_tokens.fc1.weight",
     kTransposed},
    {"MixerBlock_#/token_mixing/Dense_0/bias", "blocks.#.mlp_tokens.fc1.bias"},
    {"MixerBlock_#/token_mixing/Dense_1/kernel",
     "blocks.#.mlp_tokens.fc2.weight",
     kTransposed},
    {"MixerBlock_#/token_mixing/Dense_1/bias", "blocks.#.mlp_tokens.fc2.bias"},
    {"MixerBlock_#/channel_mixing/Dense_0/kernel",
     "blocks.#.mlp_channels.fc1.weight",
     kTransposed},
    {"MixerBlock_#/channel_mixing/Dense_0/bias",
     "blocks.#.mlp_channels.fc1.bias"},
    {"MixerBlock_#/channel_mixing/Dense_1/kernel",
     "blocks.#.mlp_channels.fc2.weight",
     kTransposed},
    {"MixerBlock_#/channel_mixing/Dense_1/bias",
     "blocks.#.mlp_channels.fc2.bias"},
    {"pre_head_layer_norm/scale", "norm.weight"},
    {"pre_head_layer_norm/bias", "norm.bias"},
    {"head/kernel", "head.weight", kTransposed},
    {"head/bias", "head.bias"},
};

constexpr auto kFlax = std::to_array<Convention>({
    {"big_vision", "ViT", kFlaxPrefixes, kFlaxVit, kFlaxVitRules},
    {"big_vision", "Mixer", kFlaxPrefixes, kFlaxMixer, kFlaxMixerRules},
});

} // namespace

std::span<const Convention> flax_conventions() {
  return kFlax;
}

} // namespace vitrain::weights
