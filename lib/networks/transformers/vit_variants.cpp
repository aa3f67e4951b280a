#include "networks/transformers/vit_variants.h"

#include <utility>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/layers/init.h"

namespace vitrain::networks {

using models::VitSpec;

std::shared_ptr<TokenBlock> make_vit_block(
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

std::int64_t branches_of(VitSpec::Block block) {
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

PostNormBlock::PostNormBlock(
    const VitSpec& spec,
    std::int64_t number,
    const at::Generator& generator)
    : number_(number) {
  const std::int64_t width = spec.embed_dim;
  attn_ = add_layer<VitAttention>(*this, "attn", spec, number, generator);
  norm1_ = add_layer<VitNorm>(*this, "norm1", spec, width);
  mlp_ = add_layer<VitMlp>(*this, "mlp", spec, generator);
  norm2_ = add_layer<VitNorm>(*this, "norm2", spec, width);
  if (spec.layer_scale > 0.0) {
    constant(norm1_->weight, spec.layer_scale);
    constant(norm2_->weight, spec.layer_scale);
  }
}

at::Tensor PostNormBlock::forward(
    const at::Tensor& x,
    std::int64_t images,
    const VitDrops& drops) const {
  return add_branches(x, attn_->forward(x, images, drops), drops);
}

at::Tensor PostNormBlock::forward_first(
    const at::Tensor& x,
    std::int64_t images,
    std::int64_t count,
    const VitDrops& drops) const {
  return add_branches(
      first_tokens(x, images, count),
      attn_->forward_first(x, images, count, drops),
      drops);
}

at::Tensor PostNormBlock::add_branches(
    const at::Tensor& x,
    const at::Tensor& attention,
    const VitDrops& drops) const {
  const at::Tensor y = add_tokens(
      x,
      (*norm1_)(attention),
      /*scale=*/nullptr,
      drops.of_branch(2 * number_));
  return add_tokens(
      y,
      (*norm2_)(mlp_->forward(y, drops)),
      /*scale=*/nullptr,
      drops.of_branch(2 * number_ + 1));
}

namespace {

std::shared_ptr<Linear> add_out(
    torch::nn::Module& block,
    const char* name,
    std::int64_t in,
    const VitSpec& spec,
    bool wanted,
    const at::Generator& generator) {
  return wanted ? add_layer<Linear>(block, name, in, spec.embed_dim, generator)
                : nullptr;
}

} // namespace

ParallelBlock::ParallelBlock(
    const VitSpec& spec,
    std::int64_t number,
    const at::Generator& generator)
    : number_(number),
      hidden_(spec.mlp_dim),
      activation_(activation_of(spec.mlp)),
      mlp_bias_(
          spec.qkv_bias ? at::Tensor()
                        : add_constant(
                              *this,
                              "mlp_bias",
                              {spec.mlp_dim},
                              /*value=*/0.0,
                              generator)),
      in_norm_(add_layer<VitNorm>(*this, "in_norm", spec, spec.embed_dim)),
      in_proj_(add_layer<Linear>(
          *this,
          "in_proj",
          spec.embed_dim,
          spec.mlp_dim + 3 * spec.embed_dim,
          generator,
          spec.qkv_bias)),
      out_proj_(add_out(
          *this,
          "out_proj",
          spec.embed_dim + spec.mlp_dim,
          spec,
          spec.differential,
          generator)),
      attn_out_proj_(add_out(
          *this,
          "attn_out_proj",
          spec.embed_dim,
          spec,
          !spec.differential,
          generator)),
      mlp_out_proj_(add_out(
          *this,
          "mlp_out_proj",
          spec.mlp_dim,
          spec,
          !spec.differential,
          generator)),
      heads_(*this, spec, number, generator),
      scale_(add_vit_scale(*this, "ls", spec, generator)) {}

at::Tensor ParallelBlock::forward(
    const at::Tensor& x,
    std::int64_t images,
    const VitDrops& drops) const {
  const std::int64_t width = x.size(1);
  const std::array<std::int64_t, 4> sizes{hidden_, width, width, width};
  const auto parts = (*in_proj_)((*in_norm_)(x))
                         .view({images, -1, hidden_ + 3 * width})
                         .split_with_sizes(sizes, /*dim=*/-1);
  return add_branch_to(
      x, parts[0], heads_(parts[1], parts[2], parts[3], drops), drops);
}

// Nobody asks the other tokens for hidden values and queries.
at::Tensor ParallelBlock::forward_first(
    const at::Tensor& x,
    std::int64_t images,
    std::int64_t count,
    const VitDrops& drops) const {
  const std::int64_t width = x.size(1);
  const std::array<std::int64_t, 2> of_first{hidden_, width};
  const std::array<std::int64_t, 2> of_all{hidden_ + width, 2 * width};
  const auto weights = in_proj_->weight.split_with_sizes(of_all);
  const auto biases = in_proj_->bias.defined()
      ? in_proj_->bias.split_with_sizes(of_all)
      : std::vector<at::Tensor>(2);
  const at::Tensor normed = (*in_norm_)(x);
  const auto own = at::linear(
                       normed.view({images, -1, width}).narrow(1, 0, count),
                       weights[0],
                       biases[0])
                       .split_with_sizes(of_first, /*dim=*/-1);
  const auto parts = at::linear(normed, weights[1], biases[1])
                         .view({images, -1, 2 * width})
                         .split(width, /*dim=*/-1);
  return add_branch_to(
      first_tokens(x, images, count),
      own[0],
      heads_(own[1], parts[0], parts[1], drops),
      drops);
}

at::Tensor ParallelBlock::add_branch_to(
    const at::Tensor& x,
    const at::Tensor& hidden,
    const at::Tensor& seen,
    const VitDrops& drops) const {
  const at::Tensor biased = mlp_bias_.defined()
      ? hidden + mlp_bias_.to(hidden.scalar_type())
      : hidden;
  const at::Tensor active =
      drops(activate(biased, activation_)).reshape({-1, hidden_});
  at::Tensor branch;
  if (out_proj_) {
    const std::array<at::Tensor, 2> both{seen, active};
    branch = (*out_proj_)(at::cat(both, 1));
  } else {
    branch = (*attn_out_proj_)(seen) + (*mlp_out_proj_)(active);
  }
  return add_tokens(x, std::move(branch), scale_, drops.of_branch(number_));
}

// timm makes an attention and its MLP after each other, and keeps them apart.
PairedBlock::PairedBlock(
    const VitSpec& spec,
    std::int64_t number,
    const at::Generator& generator)
    : number_(number) {
  const auto attns = add_layer<torch::nn::ModuleListImpl>(*this, "attns");
  const auto ffns = add_layer<torch::nn::ModuleListImpl>(*this, "ffns");
  for (std::size_t i = 0; i < kPair; ++i) {
    const auto attn = append_layer<torch::nn::Module>(*attns);
    attns_[i].norm = add_layer<VitNorm>(*attn, "norm", spec, spec.embed_dim);
    attns_[i].layer =
        add_layer<VitAttention>(*attn, "attn", spec, number, generator);
    attns_[i].scale = add_vit_scale(*attn, "ls", spec, generator);
    const auto ffn = append_layer<torch::nn::Module>(*ffns);
    ffns_[i].norm = add_layer<VitNorm>(*ffn, "norm", spec, spec.embed_dim);
    ffns_[i].layer = add_layer<VitMlp>(*ffn, "mlp", spec, generator);
    ffns_[i].scale = add_vit_scale(*ffn, "ls", spec, generator);
  }
}

at::Tensor PairedBlock::forward(
    const at::Tensor& x,
    std::int64_t images,
    const VitDrops& drops) const {
  at::Tensor y = x;
  for (std::int64_t i = 0; i < kPair; ++i) {
    const auto& attn = attns_[static_cast<std::size_t>(i)];
    y = add_tokens(
        y,
        attn.layer->forward((*attn.norm)(x), images, drops),
        attn.scale,
        factors(i, drops));
  }
  return add_mlps(y, drops);
}

at::Tensor PairedBlock::forward_first(
    const at::Tensor& x,
    std::int64_t images,
    std::int64_t count,
    const VitDrops& drops) const {
  at::Tensor y = first_tokens(x, images, count);
  for (std::int64_t i = 0; i < kPair; ++i) {
    const auto& attn = attns_[static_cast<std::size_t>(i)];
    y = add_tokens(
        y,
        attn.layer->forward_first((*attn.norm)(x), images, count, drops),
        attn.scale,
        factors(i, drops));
  }
  return add_mlps(y, drops);
}

at::Tensor PairedBlock::add_mlps(const at::Tensor& x, const VitDrops& drops)
    const {
  at::Tensor y = x;
  for (std::int64_t i = 0; i < kPair; ++i) {
    const auto& ffn = ffns_[static_cast<std::size_t>(i)];
    y = add_tokens(
        y,
        ffn.layer->forward((*ffn.norm)(x), drops),
        ffn.scale,
        factors(kPair + i, drops));
  }
  return y;
}

at::Tensor PairedBlock::factors(std::int64_t place, const VitDrops& drops)
    const {
  return drops.of_branch(2 * kPair * number_ + place);
}

} // namespace vitrain::networks
