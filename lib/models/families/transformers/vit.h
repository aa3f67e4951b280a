#pragma once

#include <cstdint>

#include "models/families/family.h"
#include "options/resampling.h"

namespace vitrain::models {

// Numbers of a vision transformer (Dosovitskiy et al., "An image is worth 16x16
// words", ICLR 2021), and what its variants change. The defaults are those of
// timm's VisionTransformer.
struct VitSpec {
  enum class Pool {
    kToken, // the class token
    kAverage, // the mean of the patches
    kAttention, // a learned query over the patches (SigLIP)
  };
  enum class Mlp { kGelu, kGeluTanh, kQuickGelu, kSwiGlu };
  enum class Block {
    kPlain, // attention, then the MLP, each behind its norm
    kPostNorm, // each in front of its norm
    kParallel, // both behind one norm, beside each other
    kPaired, // two attentions beside each other, then two MLPs
  };

  std::int64_t patch_size = 16;
  std::int64_t embed_dim = 768;
  std::int64_t depth = 12;
  std::int64_t num_heads = 12;
  // Hidden width of the MLP; of kSwiGlu twice what its second layer takes.
  std::int64_t mlp_dim = 3072;
  double dropout = 0.0; // of activations
  double attention_dropout = 0.0; // of attention's weights

  bool class_token = true;
  bool distilled = false; // a second token and head (Touvron et al., 2021)
  std::int64_t registers = 0; // more tokens (Darcet et al., ICLR 2024)
  bool prefix_positions = true; // the tokens above have positions too
  Pool pool = Pool::kToken;
  bool norm_after_pool = false; // "fc_norm" in place of "norm"
  bool norm_before_blocks = false; // "norm_pre", as CLIP
  bool final_norm = true; // one of both
  double norm_eps = 1e-6;
  bool rms_norm = false; // norms divide by the root of the mean square alone
  bool qkv_bias = true;
  bool qk_norm = false; // of the queries and the keys of each head
  bool differential = false; // heads see the difference of two halves
  // What each branch starts times; 0: nothing. Of kPostNorm its norm's weight.
  double layer_scale = 0.0;
  Mlp mlp = Mlp::kGelu;
  Block block = Block::kPlain;
  Resampling resampling = Resampling::kTimm; // Family::resampling
  // Its own images are no whole number of patches: nobody sees their last rows
  // and columns.
  bool leaves_pixels = false;

  // Tokens in front of the patches.
  std::int64_t prefix() const {
    return (class_token ? 1 : 0) + (distilled ? 1 : 0) + registers;
  }

  // Of the queries of a head, or of half a one.
  std::int64_t head_width() const {
    return embed_dim / num_heads / (differential ? 2 : 1);
  }

  bool operator==(const VitSpec&) const = default;
};

namespace vit {

// The rules and keys of such a network, for families that have one in them:
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
// The same network as DeiT, with or without distillation token (Touvron et al.,
// "Training data-efficient image transformers", ICML 2021) and DeiT III
// (Touvron et al., ECCV 2022).
extern const Family kDeit;

} // namespace vitrain::models
