#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "weights/names/convention.h"
#include "weights/names/layout.h"
#include "weights/weights_check.h"

namespace vitrain::weights {
namespace {

using enum Layout;

// ViTs of vision_transformer (AugReg) and of big_vision differ only in the
// numbers of their modules.
constexpr std::string_view kFlaxPrefixes[] = {
    "opt/target/",
    "params/img/", // image tower of a SigLIP
    "params/"};
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
    // The number of a module (attention: 0 or 1, MLP: 0 or 3) is ignored.
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
    // Attention pooling of SigLIP.
    {"MAPHead_0/probe", "attn_pool.latent"},
    {"MAPHead_0/MultiHeadDotProductAttention_0/query/kernel",
     "attn_pool.q.weight",
     kHeadsOut},
    {"MAPHead_0/MultiHeadDotProductAttention_0/query/bias",
     "attn_pool.q.bias",
     kHeadsOut},
    {"MAPHead_0/MultiHeadDotProductAttention_0/@/kernel",
     "attn_pool.kv.weight",
     kHeadsOut},
    {"MAPHead_0/MultiHeadDotProductAttention_0/@/bias",
     "attn_pool.kv.bias",
     kHeadsOut},
    {"MAPHead_0/MultiHeadDotProductAttention_0/out/kernel",
     "attn_pool.proj.weight",
     kHeadsIn},
    {"MAPHead_0/MultiHeadDotProductAttention_0/out/bias",
     "attn_pool.proj.bias"},
    {"MAPHead_0/LayerNorm_0/scale", "attn_pool.norm.weight"},
    {"MAPHead_0/LayerNorm_0/bias", "attn_pool.norm.bias"},
    {"MAPHead_0/MlpBlock_0/Dense_0/kernel",
     "attn_pool.mlp.fc1.weight",
     kTransposed},
    {"MAPHead_0/MlpBlock_0/Dense_0/bias", "attn_pool.mlp.fc1.bias"},
    {"MAPHead_0/MlpBlock_0/Dense_1/kernel",
     "attn_pool.mlp.fc2.weight",
     kTransposed},
    {"MAPHead_0/MlpBlock_0/Dense_1/bias", "attn_pool.mlp.fc2.bias"},
    {"head/kernel", "head.weight", kTransposed},
    {"head/bias", "head.bias"},
};

// True for tensors of a SigLIP's text tower, or of a language model attached to
// it.
bool is_of_text(std::string_view name) {
  return name.starts_with("params/txt/") || name.starts_with("params/llm/") ||
      name == "params/t" || name == "params/b";
}

// Removes tensors of the text tower, and splits those of scanned blocks, whose
// first dimension is the number of the block, into one tensor per block.
void part_blocks(Archive& archive) {
  constexpr std::string_view kBlocks = "Transformer/encoderblock/";
  constexpr std::int64_t kMost = 65'536; // limit for untrusted files
  const auto texts = std::erase_if(
      archive.tensors, [](const auto& one) { return is_of_text(one.first); });
  if (texts > 0) {
    archive.notes.push_back(
        fmt::format("left out: {} tensors of the text's side", texts));
  }
  std::int64_t count = 0;
  std::map<std::string, StoredTensor> tensors;
  for (auto& [name, tensor] : archive.tensors) {
    const std::size_t at = name.find(kBlocks);
    const bool values =
        std::ranges::find(tensor.shape, 0) == tensor.shape.end();
    if (at == name.npos || tensor.shape.empty() || !values) {
      tensors[name] = std::move(tensor);
      continue;
    }
    const std::int64_t blocks = tensor.shape[0];
    VITRAIN_CHECK_WEIGHTS(
        blocks <= kMost - count,
        "{}: '{}' is of {} blocks: no network has so many",
        archive.source,
        printable(name),
        blocks);
    count += blocks;
    for (std::int64_t i = 0; i < blocks; ++i) {
      std::string part = name;
      part.insert(at + kBlocks.size() - 1, fmt::format("_{}", i));
      tensors[part] = element(tensor, i);
    }
  }
  archive.tensors = std::move(tensors);
}

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
    {"big_vision", "ViT", kFlaxPrefixes, kFlaxVit, kFlaxVitRules, part_blocks},
    {"big_vision", "Mixer", kFlaxPrefixes, kFlaxMixer, kFlaxMixerRules},
});

} // namespace

std::span<const Convention> flax_conventions() {
  return kFlax;
}

} // namespace vitrain::weights
