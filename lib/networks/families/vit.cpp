#include "networks/families/vit.h"

#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/layers/init.h"
#include "networks/layers/positions.h"
#include "networks/layers/recompute.h"
#include "networks/model.h"
#include "networks/networks.h"

// Order of definitions, as in timm/models/vision_transformer.py: layers,
// blocks, the network.
namespace vitrain::networks {

using models::VitSpec;

namespace {

// Standard deviation of initial class tokens, registers and gates of MLPs.
constexpr double kTokenStd = 1e-6;

Activation mlp_activation(VitSpec::Mlp mlp) {
  switch (mlp) {
    case VitSpec::Mlp::kGelu:
      return Activation::kGelu;
    case VitSpec::Mlp::kGeluTanh:
      return Activation::kGeluTanh;
    case VitSpec::Mlp::kQuickGelu:
      return Activation::kQuickGelu;
    case VitSpec::Mlp::kSwiGlu:
      return Activation::kSilu; // activation of the gate
  }
  return Activation::kGelu;
}

std::shared_ptr<Mlp> add_mlp(
    torch::nn::Module& block,
    const VitSpec& spec,
    const at::Generator& generator) {
  return add_layer<Mlp>(
      block,
      "mlp",
      spec.embed_dim,
      spec.mlp_dim,
      generator,
      mlp_activation(spec.mlp),
      spec.mlp == VitSpec::Mlp::kSwiGlu);
}

// Returns null if the network has no LayerScale.
std::shared_ptr<LayerScale> add_layer_scale(
    torch::nn::Module& block,
    const char* name,
    const VitSpec& spec,
    const at::Generator& generator) {
  return spec.layer_scale > 0.0
      ? add_layer<LayerScale>(block, name, spec, generator)
      : nullptr;
}

// Returns x + f * scale * branch, where f is the drop factor of the residual
// branch `row`. x, branch: [N * T, D]. May overwrite `branch`: no layer needs
// it in backward.
at::Tensor add_residual(
    const at::Tensor& x,
    at::Tensor branch,
    const std::shared_ptr<LayerScale>& scale,
    const VitDrops& drops,
    std::int64_t row) {
  const at::Tensor gamma = scale ? scale->gamma : at::Tensor();
  const at::Tensor& factors = drops.path_factors;
  if (!factors.defined()) {
    return add_branch(x, std::move(branch), factors, row, gamma);
  }
  const std::array<std::int64_t, 3> by_image{factors.size(1), -1, x.size(1)};
  return add_branch(
             x.view(by_image), branch.view(by_image), factors, row, gamma)
      .view(x.sizes());
}

// Returns the first `keep` tokens of each image: [N * T, D] -> [N * keep, D]; x
// itself for kAllTokens.
at::Tensor
keep_tokens(const at::Tensor& x, std::int64_t images, std::int64_t keep) {
  if (keep == kAllTokens) {
    return x;
  }
  return x.view({images, -1, x.size(1)})
      .narrow(1, 0, keep)
      .reshape({-1, x.size(1)});
}

} // namespace

LayerScale::LayerScale(const VitSpec& spec, const at::Generator& generator) {
  gamma = add_constant(
      *this, "gamma", {spec.embed_dim}, spec.layer_scale, generator);
}

VitBlock::VitBlock(
    const VitSpec& spec,
    std::int64_t number,
    const at::Generator& generator)
    : number_(number) {
  const std::int64_t width = spec.embed_dim;
  norm1_ = add_vit_norm(*this, "norm1", spec, width);
  attn_ = add_layer<VitAttention>(*this, "attn", spec, number, generator);
  ls1_ = add_layer_scale(*this, "ls1", spec, generator);
  norm2_ = add_vit_norm(*this, "norm2", spec, width);
  mlp_ = add_mlp(*this, spec, generator);
  ls2_ = add_layer_scale(*this, "ls2", spec, generator);
}

at::Tensor VitBlock::forward(
    const at::Tensor& x,
    std::int64_t images,
    const VitDrops& drops,
    std::int64_t keep) const {
  const at::Tensor y = add_residual(
      keep_tokens(x, images, keep),
      attn_->forward((*norm1_)(x), images, drops, keep),
      ls1_,
      drops,
      2 * number_);
  return add_residual(
      y,
      (*mlp_)((*norm2_)(y), drops.activations),
      ls2_,
      drops,
      2 * number_ + 1);
}

namespace {

// x + norm(attn(x)), then x + norm(mlp(x)) (Liu et al., "Swin Transformer V2",
// CVPR 2022). The initial norm weights are the spec's layer_scale; 1 if that is
// 0.
class PostNormBlock : public TokenBlock {
 public:
  PostNormBlock(
      const VitSpec& spec,
      std::int64_t number,
      const at::Generator& generator)
      : number_(number) {
    const std::int64_t width = spec.embed_dim;
    attn_ = add_layer<VitAttention>(*this, "attn", spec, number, generator);
    norm1_ = add_vit_norm(*this, "norm1", spec, width);
    mlp_ = add_mlp(*this, spec, generator);
    norm2_ = add_vit_norm(*this, "norm2", spec, width);
    if (spec.layer_scale > 0.0) {
      constant(norm1_->weight, spec.layer_scale);
      constant(norm2_->weight, spec.layer_scale);
    }
  }

  at::Tensor forward(
      const at::Tensor& x,
      std::int64_t images,
      const VitDrops& drops,
      std::int64_t keep) const override {
    const at::Tensor y = add_residual(
        keep_tokens(x, images, keep),
        (*norm1_)(attn_->forward(x, images, drops, keep)),
        /*scale=*/nullptr,
        drops,
        2 * number_);
    return add_residual(
        y,
        (*norm2_)((*mlp_)(y, drops.activations)),
        /*scale=*/nullptr,
        drops,
        2 * number_ + 1);
  }

 private:
  std::int64_t number_;
  std::shared_ptr<VitAttention> attn_;
  std::shared_ptr<LayerNorm> norm1_;
  std::shared_ptr<Mlp> mlp_;
  std::shared_ptr<LayerNorm> norm2_;
};

// x + attn(norm(x)) + mlp(norm(x)) with one norm and one input projection
// (Dehghani et al., "Scaling vision transformers to 22 billion parameters",
// ICML 2023). Dropout applies to attention weights and hidden values only.
class ParallelBlock : public TokenBlock {
 public:
  ParallelBlock(
      const VitSpec& spec,
      std::int64_t number,
      const at::Generator& generator)
      : number_(number),
        hidden_(spec.mlp_dim),
        activation_(mlp_activation(spec.mlp)) {
    const std::int64_t width = spec.embed_dim;
    if (!spec.qkv_bias) {
      mlp_bias_ =
          add_constant(*this, "mlp_bias", {hidden_}, /*value=*/0.0, generator);
    }
    in_norm_ = add_vit_norm(*this, "in_norm", spec, width);
    in_proj_ = add_layer<Linear>(
        *this, "in_proj", width, hidden_ + 3 * width, generator, spec.qkv_bias);
    if (spec.differential) {
      out_proj_ = add_layer<Linear>(
          *this, "out_proj", width + hidden_, width, generator);
    } else {
      attn_out_proj_ =
          add_layer<Linear>(*this, "attn_out_proj", width, width, generator);
      mlp_out_proj_ =
          add_layer<Linear>(*this, "mlp_out_proj", hidden_, width, generator);
    }
    heads_ = std::make_unique<VitHeads>(*this, spec, number, generator);
    ls_ = add_layer_scale(*this, "ls", spec, generator);
  }

  at::Tensor forward(
      const at::Tensor& x,
      std::int64_t images,
      const VitDrops& drops,
      std::int64_t keep) const override {
    const std::int64_t width = x.size(1);
    const at::Tensor normed = (*in_norm_)(x);
    if (keep == kAllTokens) {
      const std::array<std::int64_t, 4> sizes{hidden_, width, width, width};
      const auto parts = (*in_proj_)(normed)
                             .view({images, -1, hidden_ + 3 * width})
                             .split_with_sizes(sizes, /*dim=*/-1);
      const at::Tensor y = (*heads_)(parts[1], parts[2], parts[3], drops);
      return add_branches(x, parts[0], y, drops);
    }
    // Hidden values and queries are computed for the kept tokens, keys and
    // values for all.
    const std::array<std::int64_t, 2> sizes{hidden_, width};
    const auto projected = in_proj_->parts(
        {normed.view({images, -1, width}).narrow(1, 0, keep), normed},
        {hidden_ + width, 2 * width});
    const auto kept = projected[0].split_with_sizes(sizes, /*dim=*/-1);
    const auto kv =
        projected[1].view({images, -1, 2 * width}).split(width, /*dim=*/-1);
    const at::Tensor y = (*heads_)(kept[1], kv[0], kv[1], drops);
    return add_branches(keep_tokens(x, images, keep), kept[0], y, drops);
  }

 private:
  // Returns x plus the MLP and attention branches. `hidden`: [N, T, mlp_dim]
  // before the activation; `attended`: [N * T, D].
  at::Tensor add_branches(
      const at::Tensor& x,
      const at::Tensor& hidden,
      const at::Tensor& attended,
      const VitDrops& drops) const {
    const at::Tensor biased = mlp_bias_.defined()
        ? hidden + mlp_bias_.to(hidden.scalar_type())
        : hidden;
    const at::Tensor active =
        drops.activations(activate(biased, activation_)).reshape({-1, hidden_});
    at::Tensor branch;
    if (out_proj_) {
      const std::array<at::Tensor, 2> both{attended, active};
      branch = (*out_proj_)(at::cat(both, 1));
    } else {
      branch = (*attn_out_proj_)(attended) + (*mlp_out_proj_)(active);
    }
    return add_residual(x, std::move(branch), ls_, drops, number_);
  }

  std::int64_t number_;
  std::int64_t hidden_;
  Activation activation_;
  at::Tensor mlp_bias_; // [mlp_dim]; undefined if in_proj has a bias
  std::shared_ptr<LayerNorm> in_norm_;
  // Outputs hidden values, queries, keys and values.
  std::shared_ptr<Linear> in_proj_;
  // Differential attention: one output layer for both branches.
  std::shared_ptr<Linear> out_proj_;
  // Otherwise: one output layer per branch.
  std::shared_ptr<Linear> attn_out_proj_;
  std::shared_ptr<Linear> mlp_out_proj_;
  std::unique_ptr<VitHeads> heads_;
  std::shared_ptr<LayerScale> ls_; // null without LayerScale
};

// Two parallel attentions, then two parallel MLPs (Touvron et al., "Three
// things everyone should know about vision transformers", ECCV 2022).
class PairedBlock : public TokenBlock {
 public:
  // Registers attentions and MLPs alternately in two lists, as timm.
  PairedBlock(
      const VitSpec& spec,
      std::int64_t number,
      const at::Generator& generator)
      : number_(number) {
    const auto attns = add_layer<torch::nn::ModuleListImpl>(*this, "attns");
    const auto ffns = add_layer<torch::nn::ModuleListImpl>(*this, "ffns");
    for (std::size_t i = 0; i < kPair; ++i) {
      const auto attn = append_layer<torch::nn::Module>(*attns);
      attns_[i].norm = add_vit_norm(*attn, "norm", spec, spec.embed_dim);
      attns_[i].layer =
          add_layer<VitAttention>(*attn, "attn", spec, number, generator);
      attns_[i].ls = add_layer_scale(*attn, "ls", spec, generator);
      const auto ffn = append_layer<torch::nn::Module>(*ffns);
      ffns_[i].norm = add_vit_norm(*ffn, "norm", spec, spec.embed_dim);
      ffns_[i].layer = add_mlp(*ffn, spec, generator);
      ffns_[i].ls = add_layer_scale(*ffn, "ls", spec, generator);
    }
  }

  at::Tensor forward(
      const at::Tensor& x,
      std::int64_t images,
      const VitDrops& drops,
      std::int64_t keep) const override {
    at::Tensor y = keep_tokens(x, images, keep);
    std::int64_t path = 2 * kPair * number_;
    for (const auto& attn : attns_) {
      y = add_residual(
          y,
          attn.layer->forward((*attn.norm)(x), images, drops, keep),
          attn.ls,
          drops,
          path++);
    }
    const at::Tensor input = y;
    for (const auto& ffn : ffns_) {
      y = add_residual(
          y,
          (*ffn.layer)((*ffn.norm)(input), drops.activations),
          ffn.ls,
          drops,
          path++);
    }
    return y;
  }

 private:
  static constexpr std::int64_t kPair = 2;
  template <typename Layer>
  struct Branch {
    std::shared_ptr<LayerNorm> norm;
    std::shared_ptr<Layer> layer;
    std::shared_ptr<LayerScale> ls; // null without LayerScale
  };

  std::int64_t number_;
  std::array<Branch<VitAttention>, kPair> attns_;
  std::array<Branch<Mlp>, kPair> ffns_;
};

std::shared_ptr<TokenBlock> make_block(
    const VitSpec& spec,
    std::int64_t number,
    const at::Generator& generator) {
  switch (spec.block) {
    case VitSpec::Block::kPlain:
      break;
    case VitSpec::Block::kPostNorm:
      return std::make_shared<PostNormBlock>(spec, number, generator);
    case VitSpec::Block::kParallel:
      return std::make_shared<ParallelBlock>(spec, number, generator);
    case VitSpec::Block::kPaired:
      return std::make_shared<PairedBlock>(spec, number, generator);
  }
  return std::make_shared<VitBlock>(spec, number, generator);
}

// Number of a block's residual branches, each of which can be dropped.
std::int64_t num_branches(VitSpec::Block block) {
  switch (block) {
    case VitSpec::Block::kPlain:
    case VitSpec::Block::kPostNorm:
      return 2;
    case VitSpec::Block::kParallel:
      return 1;
    case VitSpec::Block::kPaired:
      return 4;
  }
  return 2;
}

// Attention pooling with one learned query (Zhai et al., "Scaling vision
// transformers", CVPR 2022; timm's AttentionPoolLatent).
class AttentionPool : public torch::nn::Module {
 public:
  AttentionPool(const VitSpec& spec, const at::Generator& generator)
      : heads_(spec.num_heads) {
    const std::int64_t width = spec.embed_dim;
    latent_ =
        register_parameter("latent", new_weights({1, 1, width}, generator));
    q_ = add_layer<Linear>(*this, "q", width, width, generator);
    kv_ = add_layer<Linear>(*this, "kv", width, 2 * width, generator);
    proj_ = add_layer<Linear>(*this, "proj", width, width, generator);
    norm_ = add_layer<LayerNorm>(*this, "norm", width, spec.norm_eps);
    mlp_ = add_layer<Mlp>(
        *this, "mlp", width, spec.mlp_dim, generator, mlp_activation(spec.mlp));
    init_weights(generator);
  }

  // [N, T, D] -> [N, D]
  at::Tensor forward(const at::Tensor& x) const {
    const std::int64_t images = x.size(0);
    const std::int64_t width = x.size(2);
    const auto kv = (*kv_)(x).split(width, /*dim=*/-1);
    const at::Tensor query = (*q_)(latent_).expand({images, 1, width});
    const at::Tensor attended = attention(
                                    split_heads(query, heads_),
                                    split_heads(kv[0], heads_),
                                    split_heads(kv[1], heads_))
                                    .transpose(1, 2)
                                    .reshape({images, width});
    const at::Tensor pooled = (*proj_)(attended);
    return pooled + (*mlp_)((*norm_)(pooled));
  }

  // timm initialises the query again after the layers.
  void init_weights(const at::Generator& generator) {
    truncated_normal_by_std(
        latent_,
        1.0 / std::sqrt(static_cast<double>(latent_.size(2))),
        generator);
  }

 private:
  std::int64_t heads_;
  at::Tensor latent_; // [1, 1, D]
  std::shared_ptr<Linear> q_;
  std::shared_ptr<Linear> kv_;
  std::shared_ptr<Linear> proj_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Mlp> mlp_;
};

class Vit : public Model {
 public:
  Vit(const models::ModelSpec& spec, const at::Generator& generator)
      : spec_(spec), vit_(spec.get<VitSpec>()) {
    const std::int64_t width = vit_.embed_dim;
    const std::int64_t positions =
        grid(spec.image_size).area() + num_positioned_prefix_tokens();
    const auto add_tokens = [&](const char* name, std::int64_t count) {
      return register_parameter(
          name, new_weights({1, count, width}, generator));
    };
    if (vit_.class_token) {
      prefix_.push_back(add_tokens("cls_token", 1));
    }
    if (vit_.registers > 0) {
      prefix_.push_back(add_tokens("reg_token", vit_.registers));
    }
    pos_embed_ = add_tokens("pos_embed", positions);
    if (vit_.distilled) {
      prefix_.push_back(add_tokens("dist_token", 1));
    }
    patch_embed_ = add_layer<PatchEmbed>(
        *this,
        "patch_embed",
        spec.channels,
        vit_.patch_size,
        width,
        generator,
        /*with_bias=*/!vit_.norm_before_blocks);
    norm_pre_ = add_norm("norm_pre", vit_.norm_before_blocks);
    const auto blocks = add_layer<torch::nn::ModuleListImpl>(*this, "blocks");
    for (std::int64_t i = 0; i < vit_.depth; ++i) {
      blocks_.push_back(make_block(vit_, i, generator));
      blocks->push_back(blocks_.back());
    }
    norm_ = add_norm("norm", vit_.final_norm && !vit_.norm_after_pool);
    if (vit_.pool == VitSpec::Pool::kAttention) {
      attn_pool_ =
          add_layer<AttentionPool>(*this, "attn_pool", vit_, generator);
    }
    fc_norm_ = add_norm("fc_norm", vit_.final_norm && vit_.norm_after_pool);
    head_ =
        add_layer<Linear>(*this, "head", width, spec.num_classes, generator);
    if (vit_.distilled) {
      head_dist_ = add_layer<Linear>(
          *this, "head_dist", width, spec.num_classes, generator);
    }
    init_weights(generator);
    for (const double rate : rising_rates(spec.drop_path, vit_.depth)) {
      paths_.add(rate, num_branches(vit_.block));
    }
  }

  at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor& drop,
      const at::Generator& dropout) override {
    check_images(images, spec_);
    const DropoutScope masks(dropout);
    const std::int64_t count = images.size(0);
    const VitDrops drops{
        {vit_.dropout, dropout}, {vit_.attention_dropout, dropout}, drop};
    at::Tensor x = drops.activations(embed(images));
    x = norm_pre_ ? (*norm_pre_)(x) : x;
    x = run_blocks(
        x.view({-1, vit_.embed_dim}),
        dropout,
        std::span(blocks_).first(blocks_.size() - 1),
        count,
        drops,
        kAllTokens);
    return vit_.pool == VitSpec::Pool::kToken
        ? classify_tokens(x, count, drops)
        : classify_patches(x, count, drops);
  }

  std::vector<double> drop_rates() const override { return paths_.rates(); }

 private:
  // Returns null if `present` is false.
  std::shared_ptr<LayerNorm> add_norm(const char* name, bool present) {
    return present ? add_vit_norm(*this, name, vit_, vit_.embed_dim) : nullptr;
  }

  ImageSize grid(const ImageSize& image) const {
    return {image.height / vit_.patch_size, image.width / vit_.patch_size};
  }

  // Returns the number of rows of pos_embed_ before those of the patches.
  std::int64_t num_positioned_prefix_tokens() const {
    return vit_.prefix_positions ? vit_.prefix() : 0;
  }

  // Embeds images and adds positions: [N, C, H, W] -> [N, T, D].
  at::Tensor embed(const at::Tensor& images) const {
    at::Tensor x = patch_embed_->forward(images);
    const at::Tensor positions = resample_positions(
        pos_embed_,
        num_positioned_prefix_tokens(),
        grid(spec_.image_size),
        grid({images.size(2), images.size(3)}));
    if (!vit_.prefix_positions) {
      x = x + positions;
    }
    if (!prefix_.empty()) {
      std::vector<at::Tensor> all;
      for (const at::Tensor& tokens : prefix_) {
        all.push_back(tokens.expand({images.size(0), -1, -1}));
      }
      all.push_back(x);
      x = at::cat(all, 1);
    }
    return vit_.prefix_positions ? x + positions : x;
  }

  // Runs the last block and the head on the class token, and on the
  // distillation token if there is one.
  at::Tensor classify_tokens(
      const at::Tensor& x,
      std::int64_t images,
      const VitDrops& drops) const {
    const std::int64_t keep = vit_.distilled ? 2 : 1;
    at::Tensor tokens = blocks_.back()->forward(x, images, drops, keep);
    tokens = norm_ ? (*norm_)(tokens) : tokens;
    if (!vit_.distilled) {
      return (*head_)(tokens);
    }
    const auto each = tokens.view({images, keep, -1}).unbind(1);
    return of_two_heads(
        spec_, is_training(), (*head_)(each[0]), (*head_dist_)(each[1]));
  }

  // Runs the last block and the head on the pooled patches.
  at::Tensor classify_patches(
      const at::Tensor& x,
      std::int64_t images,
      const VitDrops& drops) const {
    const std::int64_t prefix = vit_.prefix();
    at::Tensor y = blocks_.back()
                       ->forward(x, images, drops, kAllTokens)
                       .view({images, -1, x.size(1)});
    y = y.narrow(1, prefix, y.size(1) - prefix);
    y = norm_ ? (*norm_)(y) : y;
    y = attn_pool_ ? attn_pool_->forward(y) : y.mean(1);
    y = fc_norm_ ? (*fc_norm_)(y) : y;
    return (*head_)(y);
  }

  // Samples the weights in timm's order.
  void init_weights(const at::Generator& generator) {
    if (!generator.defined()) {
      return;
    }
    const at::NoGradGuard no_grad;
    if (vit_.distilled) {
      truncated_normal(prefix_.back(), kVitInitStd, generator);
    }
    truncated_normal(pos_embed_, kVitInitStd, generator);
    for (std::size_t i = 0; i < prefix_.size() - (vit_.distilled ? 1 : 0);
         ++i) {
      prefix_[i].normal_(0.0, kTokenStd, generator);
    }
    init_layers(*this, generator);
  }

  // Initialises depth first: a module's children before the module itself.
  static void init_layers(
      const torch::nn::Module& module,
      const at::Generator& generator) {
    for (const auto& child : module.children()) {
      init_layers(*child, generator);
      if (auto* linear = child->as<Linear>()) {
        truncated_normal(linear->weight, kVitInitStd, generator);
        if (linear->bias.defined()) {
          linear->bias.zero_();
        }
      } else if (auto* mlp = child->as<Mlp>()) {
        mlp->init_gate(kTokenStd, generator);
      } else if (auto* pool = child->as<AttentionPool>()) {
        pool->init_weights(generator);
      }
    }
  }

  models::ModelSpec spec_;
  VitSpec vit_;
  DropPaths paths_;
  std::vector<at::Tensor> prefix_; // tokens before the patches: [1, count, D]
  at::Tensor pos_embed_; // [1, positions, D], for images of spec_.image_size
  std::shared_ptr<PatchEmbed> patch_embed_;
  std::shared_ptr<LayerNorm> norm_pre_; // null if absent, like norm_, fc_norm_
  std::vector<std::shared_ptr<TokenBlock>> blocks_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<AttentionPool> attn_pool_; // null if absent
  std::shared_ptr<LayerNorm> fc_norm_;
  std::shared_ptr<Linear> head_;
  std::shared_ptr<Linear> head_dist_; // null if not distilled
};

} // namespace

const MakeNetwork make_vit = construct<Vit>;

} // namespace vitrain::networks
