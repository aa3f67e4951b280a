#include "models/families/vit.h"

#include <array>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/layers/blocks.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/model.h"

// Tokens travel through the blocks as [N * T, D], row n * T being the class
// token of image n: every linear layer is then one matrix product without
// reshaping, whose result nobody else holds.
namespace vitrain::networks {
namespace {

constexpr double kVitNormEps = 1e-6;
constexpr double kVitInitStd = 0.02;

// What the blocks of one forward pass drop.
struct Drops {
  double rate = 0.0; // of activations
  double attention_rate = 0.0;
  at::Generator masks; // undefined: nothing
  at::Tensor factors; // [branches, N], or undefined

  // Factors of the images' branches of this number: [N], or undefined.
  at::Tensor of_branch(std::int64_t number) const {
    return factors.defined() ? factors.select(0, number) : factors;
  }

  at::Tensor operator()(const at::Tensor& x) const {
    return dropout(x, rate, masks);
  }
};

// x + branch, with the branch of image n times factors[n] where factors are
// given. `branch` is the result of a linear layer and may be overwritten.
at::Tensor
add_tokens(const at::Tensor& x, at::Tensor branch, const at::Tensor& factors) {
  if (factors.defined()) {
    const std::array<std::int64_t, 3> by_image{factors.size(0), -1, x.size(1)};
    return at::addcmul(
               x.view(by_image),
               branch.view(by_image),
               factors.view({-1, 1, 1}).to(x.scalar_type()))
        .view(x.sizes());
  }
  // In place where the types allow it: one pass over memory less.
  return branch.scalar_type() == x.scalar_type() ? branch.add_(x) : x + branch;
}

class VitAttention : public torch::nn::Module {
 public:
  VitAttention(std::int64_t width, std::int64_t heads, at::Generator generator)
      : heads_(heads) {
    qkv_ = add_layer<Linear>(*this, "qkv", width, 3 * width, generator);
    proj_ = add_layer<Linear>(*this, "proj", width, width, generator);
  }

  // x: [N * T, D], to itself.
  at::Tensor
  forward(const at::Tensor& x, std::int64_t images, const Drops& drops) const {
    const std::int64_t width = x.size(1);
    const auto parts =
        (*qkv_)(x).view({images, -1, 3 * width}).split(width, /*dim=*/-1);
    return drops((*proj_)(attend(parts[0], parts[1], parts[2], drops)));
  }

  // Only what the class tokens see: [N * T, D] to [N, D].
  at::Tensor forward_class(
      const at::Tensor& x,
      std::int64_t images,
      const Drops& drops) const {
    const std::int64_t width = x.size(1);
    const std::vector<std::int64_t> sizes = {width, 2 * width};
    const auto weights = qkv_->weight.split_with_sizes(sizes);
    const auto biases = qkv_->bias.split_with_sizes(sizes);
    const at::Tensor query = at::linear(
        x.view({images, -1, width}).select(1, 0), weights[0], biases[0]);
    const auto parts = at::linear(x, weights[1], biases[1])
                           .view({images, -1, 2 * width})
                           .split(width, /*dim=*/-1);
    return drops(
        (*proj_)(attend(query.unsqueeze(1), parts[0], parts[1], drops)));
  }

 private:
  // [N, Q, D] and twice [N, T, D] to [N * Q, D].
  at::Tensor attend(
      const at::Tensor& query,
      const at::Tensor& key,
      const at::Tensor& value,
      const Drops& drops) const {
    return attention_with_dropout(
               by_head(query),
               by_head(key),
               by_head(value),
               drops.attention_rate,
               drops.masks)
        .transpose(1, 2)
        .reshape({-1, query.size(2)});
  }

  // [N, T, D] -> [N, heads, T, D / heads], without a copy.
  at::Tensor by_head(const at::Tensor& x) const {
    return x.view({x.size(0), x.size(1), heads_, -1}).transpose(1, 2);
  }

  std::int64_t heads_;
  std::shared_ptr<Linear> qkv_;
  std::shared_ptr<Linear> proj_;
};

class VitMlp : public torch::nn::Module {
 public:
  VitMlp(std::int64_t width, std::int64_t hidden, at::Generator generator) {
    fc1_ = add_layer<Linear>(*this, "fc1", width, hidden, generator);
    fc2_ = add_layer<Linear>(*this, "fc2", hidden, width, generator);
  }

  at::Tensor forward(const at::Tensor& x, const Drops& drops) const {
    return drops((*fc2_)(drops(at::gelu((*fc1_)(x)))));
  }

 private:
  std::shared_ptr<Linear> fc1_;
  std::shared_ptr<Linear> fc2_;
};

class VitBlock : public torch::nn::Module {
 public:
  VitBlock(
      const models::VitSpec& spec,
      std::int64_t number,
      at::Generator generator)
      : number_(number) {
    const std::int64_t width = spec.embed_dim;
    norm1_ = add_layer<LayerNorm>(*this, "norm1", width, kVitNormEps);
    attn_ = add_layer<VitAttention>(
        *this, "attn", width, spec.num_heads, generator);
    norm2_ = add_layer<LayerNorm>(*this, "norm2", width, kVitNormEps);
    mlp_ = add_layer<VitMlp>(*this, "mlp", width, spec.mlp_dim, generator);
  }

  // x: [N * T, D], to itself.
  at::Tensor
  forward(const at::Tensor& x, std::int64_t images, const Drops& drops) const {
    return add_branches(x, attn_->forward((*norm1_)(x), images, drops), drops);
  }

  // As forward, but of the class tokens only: [N * T, D] to [N, D].
  at::Tensor forward_class(
      const at::Tensor& x,
      std::int64_t images,
      const Drops& drops) const {
    return add_branches(
        x.view({images, -1, x.size(1)}).select(1, 0),
        attn_->forward_class((*norm1_)(x), images, drops),
        drops);
  }

 private:
  // The branch of attention, and after it that of the MLP.
  at::Tensor add_branches(
      const at::Tensor& x,
      at::Tensor attention,
      const Drops& drops) const {
    const at::Tensor y =
        add_tokens(x, std::move(attention), drops.of_branch(2 * number_));
    return add_tokens(
        y,
        mlp_->forward((*norm2_)(y), drops),
        drops.of_branch(2 * number_ + 1));
  }

  std::int64_t number_; // of the block
  std::shared_ptr<LayerNorm> norm1_;
  std::shared_ptr<VitAttention> attn_;
  std::shared_ptr<LayerNorm> norm2_;
  std::shared_ptr<VitMlp> mlp_;
};

class Vit : public Model {
 public:
  Vit(const models::ModelSpec& spec, at::Generator generator)
      : spec_(spec), vit_(spec.get<models::VitSpec>()) {
    const std::int64_t width = vit_.embed_dim;
    const std::int64_t grid = spec.image_size / vit_.patch_size;
    cls_token_ =
        register_parameter("cls_token", new_weights({1, 1, width}, generator));
    pos_embed_ = register_parameter(
        "pos_embed", new_weights({1, grid * grid + 1, width}, generator));
    patch_embed_ = add_layer<PatchEmbed>(
        *this, "patch_embed", spec.channels, vit_.patch_size, width, generator);
    const auto blocks = add_layer<torch::nn::ModuleListImpl>(*this, "blocks");
    for (std::int64_t i = 0; i < vit_.depth; ++i) {
      blocks_.push_back(std::make_shared<VitBlock>(vit_, i, generator));
      blocks->push_back(blocks_.back());
    }
    norm_ = add_layer<LayerNorm>(*this, "norm", width, kVitNormEps);
    head_ =
        add_layer<Linear>(*this, "head", width, spec.num_classes, generator);
    start_as_timm(generator);
    for (const double rate : rising_rates(spec.drop_path, vit_.depth)) {
      paths_.add(rate); // both branches of a block share it
      paths_.add(rate);
    }
  }

  at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor& drop,
      const at::Generator& dropout) override {
    check_images(images, spec_);
    const std::int64_t count = images.size(0);
    const Drops drops{vit_.dropout, vit_.attention_dropout, dropout, drop};
    at::Tensor x = at::cat(
        {cls_token_.expand({count, 1, -1}), patch_embed_->forward(images)}, 1);
    x = drops(x + pos_embed_).view({-1, x.size(2)});
    for (std::size_t i = 0; i + 1 < blocks_.size(); ++i) {
      x = blocks_[i]->forward(x, count, drops);
    }
    // Nobody reads the other tokens of the last block.
    x = blocks_.back()->forward_class(x, count, drops);
    return (*head_)((*norm_)(x));
  }

  std::vector<double> drop_rates() const override { return paths_.rates(); }

 private:
  void start_as_timm(at::Generator generator) {
    if (!generator.defined()) {
      return;
    }
    const at::NoGradGuard no_grad;
    truncated_normal(pos_embed_, kVitInitStd, generator);
    cls_token_.normal_(0.0, 1e-6, generator);
    // timm draws them in the order of registration.
    for (const auto& module : modules(/*include_self=*/false)) {
      if (const auto* linear = module->as<Linear>()) {
        truncated_normal(linear->weight, kVitInitStd, generator);
        linear->bias.zero_();
      }
    }
  }

  models::ModelSpec spec_;
  models::VitSpec vit_;
  DropPaths paths_;
  at::Tensor cls_token_; // [1, 1, D]
  at::Tensor pos_embed_; // [1, T, D]
  std::shared_ptr<PatchEmbed> patch_embed_;
  std::vector<std::shared_ptr<VitBlock>> blocks_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> head_;
};

} // namespace

std::shared_ptr<Model> make_vit(
    const models::ModelSpec& spec,
    const at::Generator& generator) {
  return std::make_shared<Vit>(spec, generator);
}

} // namespace vitrain::networks
