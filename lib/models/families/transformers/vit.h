#pragma once

#include <cstdint>

#include "models/families/family.h"
#include "options/resampling.h"

namespace vitrain::models {

// Numbers of a vision transformer (Dosovitskiy et al., "An image is worth 16x16
// words", ICLR 2021) and its variants. Defaults are timm's VisionTransformer.
struct VitSpec {
  enum class Pool {
    kToken, // the class token
    kAverage, // the mean of the patches
    kAttention, // a learned query over the patches (SigLIP)
  };
  enum class Mlp { kGelu, kGeluTanh, kQuickGelu, kSwiGlu };
  enum class Block {
    kPlain, // pre-norm: attention, then the MLP
    kPostNorm, // post-norm: each branch is normalised before it is added
    kParallel, // attention and MLP in parallel, with one norm
    kPaired, // two parallel attentions, then two parallel MLPs
  };

  std::int64_t patch_size = 16;
  std::int64_t embed_dim = 768;
  std::int64_t depth = 12;
  std::int64_t num_heads = 12;
  // Outputs of the MLP's first layer; kSwiGlu halves them by its gate.
  std::int64_t mlp_dim = 3072;
  double dropout = 0.0; // of activations
  double attention_dropout = 0.0; // of attention's weights

  bool class_token = true;
  bool distilled = false; // a second token and head (Touvron et al., 2021)
  std::int64_t registers = 0; // more tokens (Darcet et al., ICLR 2024)
  bool prefix_positions = true; // these tokens have position embeddings
  Pool pool = Pool::kToken;
  bool norm_after_pool = false; // "fc_norm" in place of "norm"
  bool norm_before_blocks = false; // "norm_pre", as CLIP
  bool final_norm = true; // `norm` or `fc_norm`; false: neither
  double norm_eps = 1e-6;
  bool rms_norm = false; // RMSNorm instead of LayerNorm
  bool qkv_bias = true;
  bool qk_norm = false; // norms of the queries and keys of each head
  bool differential = false; // differential attention
  // Initial LayerScale gamma; 0 disables it. For kPostNorm the initial weight
  // of its norms.
  double layer_scale = 0.0;
  Mlp mlp = Mlp::kGelu;
  Block block = Block::kPlain;
  Resampling resampling = Resampling::kTimm; // Family::resampling
  // The network's own image size is no multiple of the patch size: the last
  // rows and columns are ignored.
  bool leaves_pixels = false;

  // Number of tokens before the patches.
  std::int64_t prefix() const {
    return (class_token ? 1 : 0) + (distilled ? 1 : 0) + registers;
  }

  // Width of a head's queries; of one of the two maps of a differential head.
  std::int64_t head_width() const {
    return embed_dim / num_heads / (differential ? 2 : 1);
  }

  bool operator==(const VitSpec&) const = default;
};

namespace vit {

// Family::check and Family::apply of a ViT, for families that contain one:
// spec.numbers is a VitSpec.
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

// timm's VisionTransformer under its names (vit_names.h).
extern const Family kVit;
// DeiT: a ViT with or without distillation token (Touvron et al., "Training
// data-efficient image transformers", ICML 2021) and DeiT III (Touvron et al.,
// ECCV 2022).
extern const Family kDeit;

} // namespace vitrain::models
