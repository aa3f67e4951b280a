#pragma once

#include <cstdint>

#include "models/families/family.h"
#include "options/resampling.h"

namespace vitrain::models {

// Sizes and options of a vision transformer (Dosovitskiy et al., "An image is
// worth 16x16 words", ICLR 2021) and its variants. Defaults are those of timm's
// VisionTransformer.
struct VitSpec {
  enum class Pool {
    kToken, // the class token
    kAverage, // mean of the patch tokens
    kAttention, // attention of a learned query to the patches (SigLIP)
  };
  enum class Mlp { kGelu, kGeluTanh, kQuickGelu, kSwiGlu };
  enum class Block {
    kPlain, // pre-norm: attention, then the MLP
    // Post-norm: each branch's output is normalised before it is added.
    kPostNorm,
    kParallel, // attention and MLP in parallel, with one norm
    kPaired, // two parallel attentions, then two parallel MLPs
  };

  std::int64_t patch_size = 16;
  std::int64_t embed_dim = 768;
  std::int64_t depth = 12;
  std::int64_t num_heads = 12;
  // Number of outputs of the MLP's first layer. The gate of kSwiGlu halves
  // them.
  std::int64_t mlp_dim = 3072;
  double dropout = 0.0; // dropout rate of activations
  double attention_dropout = 0.0; // dropout rate of the softmax weights

  bool class_token = true;
  // A distillation token and head (Touvron et al., 2021).
  bool distilled = false;
  // Number of register tokens (Darcet et al., ICLR 2024).
  std::int64_t registers = 0;
  // The tokens before the patches have position embeddings.
  bool prefix_positions = true;
  Pool pool = Pool::kToken;
  // The last norm is "fc_norm", after pooling, instead of "norm".
  bool norm_after_pool = false;
  // A norm "norm_pre" before the blocks, and a patch embedding without bias, as
  // in CLIP.
  bool norm_before_blocks = false;
  bool final_norm = true; // false: neither "norm" nor "fc_norm"
  double norm_eps = 1e-6;
  bool rms_norm = false; // RMSNorm instead of LayerNorm
  bool qkv_bias = true;
  bool qk_norm = false; // normalise the queries and keys of each head
  bool differential = false; // differential attention (Ye et al., 2024)
  // Initial LayerScale gamma; 0 disables it. For kPostNorm: the initial weight
  // of the norms.
  double layer_scale = 0.0;
  Mlp mlp = Mlp::kGelu;
  Block block = Block::kPlain;
  Resampling resampling = Resampling::kTimm; // timm's method for its positions
  // True if the network's default image size is not a multiple of the patch
  // size, so that the last rows and columns are ignored.
  bool leaves_pixels = false;

  // Number of tokens before the patches.
  std::int64_t prefix() const {
    return (class_token ? 1 : 0) + (distilled ? 1 : 0) + registers;
  }

  // Width of a head's queries; for a differential head, of one of its two maps.
  std::int64_t head_width() const {
    return embed_dim / num_heads / (differential ? 2 : 1);
  }

  bool operator==(const VitSpec&) const = default;
};

namespace vit {

// Family::check and Family::apply of a ViT, also for families that contain one.
// spec.numbers must be a VitSpec.
void check_vit(
    const config::ModelConfig& config,
    const ModelSpec& named,
    config::Checker& checker);
void apply(const config::ModelConfig& config, ModelSpec& spec);

inline std::vector<LayerRule> layers() {
  return layers_in_blocks(
      "cls_token|reg_token|dist_token|pos_embed|patch_embed|norm_pre",
      kNumberedBlocks,
      "norm");
}

} // namespace vit

// timm's VisionTransformer (names: vit_names.h).
extern const Family kVit;
// DeiT: a ViT with or without distillation token (Touvron et al., "Training
// data-efficient image transformers", ICML 2021) and DeiT III (Touvron et al.,
// ECCV 2022).
extern const Family kDeit;

} // namespace vitrain::models
