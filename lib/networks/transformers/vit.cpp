#include "models/families/transformers/vit.h"

#include <span>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/layers/init.h"
#include "networks/layers/positions.h"
#include "networks/layers/recompute.h"
#include "networks/model.h"
#include "networks/networks.h"
#include "networks/transformers/vit_blocks.h"
#include "networks/transformers/vit_variants.h"

namespace vitrain::networks {
namespace {

using models::VitSpec;

class Vit : public Model {
 public:
  Vit(const models::ModelSpec& spec, const at::Generator& generator)
      : spec_(spec), vit_(spec.get<VitSpec>()) {
    const std::int64_t width = vit_.embed_dim;
    const std::int64_t positions =
        grid_of(spec.image_size.height, spec.image_size.width).area() +
        placeless();
    const auto tokens = [&](const char* name, std::int64_t count) {
      return register_parameter(
          name, new_weights({1, count, width}, generator));
    };
    if (vit_.class_token) {
      prefix_.push_back(tokens("cls_token", 1));
    }
    if (vit_.registers > 0) {
      prefix_.push_back(tokens("reg_token", vit_.registers));
    }
    pos_embed_ = tokens("pos_embed", positions);
    if (vit_.distilled) {
      prefix_.push_back(tokens("dist_token", 1));
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
      blocks_.push_back(make_vit_block(vit_, i, generator));
      blocks->push_back(blocks_.back());
    }
    norm_ = add_norm("norm", vit_.final_norm && !vit_.norm_after_pool);
    if (vit_.pool == VitSpec::Pool::kAttention) {
      attn_pool_ = add_layer<VitPool>(*this, "attn_pool", vit_, generator);
    }
    fc_norm_ = add_norm("fc_norm", vit_.final_norm && vit_.norm_after_pool);
    head_ =
        add_layer<Linear>(*this, "head", width, spec.num_classes, generator);
    if (vit_.distilled) {
      head_dist_ = add_layer<Linear>(
          *this, "head_dist", width, spec.num_classes, generator);
    }
    start_as_timm(generator);
    for (const double rate : rising_rates(spec.drop_path, vit_.depth)) {
      paths_.add(rate, branches_of(vit_.block));
    }
  }

  at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor& drop,
      const at::Generator& dropout) override {
    check_images(images, spec_);
    const std::int64_t count = images.size(0);
    const VitDrops drops{vit_.dropout, vit_.attention_dropout, dropout, drop};
    at::Tensor x = drops(embed(images));
    if (norm_pre_) {
      x = (*norm_pre_)(x);
    }
    x = run_blocks(
        x.view({-1, vit_.embed_dim}),
        dropout,
        std::span(blocks_).first(blocks_.size() - 1),
        count,
        drops);
    return vit_.pool == VitSpec::Pool::kToken ? read_tokens(x, count, drops)
                                              : read_patches(x, count, drops);
  }

  std::vector<double> drop_rates() const override { return paths_.rates(); }

 private:
  std::shared_ptr<VitNorm> add_norm(const char* name, bool wanted) {
    return wanted ? add_layer<VitNorm>(*this, name, vit_, vit_.embed_dim)
                  : nullptr;
  }

  ImageSize grid_of(std::int64_t height, std::int64_t width) const {
    return {height / vit_.patch_size, width / vit_.patch_size};
  }

  // Rows of pos_embed_ in front of those of the patches.
  std::int64_t placeless() const {
    return vit_.prefix_positions ? vit_.prefix() : 0;
  }

  // [N, C, H, W] to [N, T, D]: the tokens with their positions.
  at::Tensor embed(const at::Tensor& images) const {
    at::Tensor x = patch_embed_->forward(images);
    const at::Tensor positions = resample_positions(
        pos_embed_,
        placeless(),
        grid_of(spec_.image_size.height, spec_.image_size.width),
        grid_of(images.size(2), images.size(3)));
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

  // The last block and the outputs, where nobody reads the other tokens of it.
  at::Tensor read_tokens(
      const at::Tensor& x,
      std::int64_t images,
      const VitDrops& drops) const {
    const std::int64_t read = vit_.distilled ? 2 : 1;
    at::Tensor tokens = blocks_.back()->forward_first(x, images, read, drops);
    if (norm_) {
      tokens = (*norm_)(tokens);
    }
    if (!vit_.distilled) {
      return (*head_)(tokens);
    }
    const auto each = tokens.view({images, read, -1}).unbind(1);
    return of_two_heads(
        spec_, is_training(), (*head_)(each[0]), (*head_dist_)(each[1]));
  }

  at::Tensor read_patches(
      const at::Tensor& x,
      std::int64_t images,
      const VitDrops& drops) const {
    const std::int64_t prefix = vit_.prefix();
    at::Tensor y =
        blocks_.back()->forward(x, images, drops).view({images, -1, x.size(1)});
    y = y.narrow(1, prefix, y.size(1) - prefix);
    if (norm_) {
      y = (*norm_)(y);
    }
    y = attn_pool_ ? attn_pool_->forward(y) : y.mean(1);
    if (fc_norm_) {
      y = (*fc_norm_)(y);
    }
    return (*head_)(y);
  }

  void start_as_timm(const at::Generator& generator) {
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
      prefix_[i].normal_(0.0, kVitTokenStd, generator);
    }
    start_layers(*this, generator);
  }

  // In timm's order: those within a module first.
  static void start_layers(
      const torch::nn::Module& module,
      const at::Generator& generator) {
    for (const auto& child : module.children()) {
      start_layers(*child, generator);
      if (auto* linear = child->as<Linear>()) {
        truncated_normal(linear->weight, kVitInitStd, generator);
        if (linear->bias.defined()) {
          linear->bias.zero_();
        }
      } else if (auto* mlp = child->as<VitMlp>()) {
        mlp->start(generator);
      } else if (auto* pool = child->as<VitPool>()) {
        pool->start(generator);
      }
    }
  }

  models::ModelSpec spec_;
  VitSpec vit_;
  DropPaths paths_;
  // Tokens in front of the patches, in their order: [1, count, D] each.
  std::vector<at::Tensor> prefix_;
  at::Tensor pos_embed_; // [1, positions, D], for images of spec_.image_size
  std::shared_ptr<PatchEmbed> patch_embed_;
  std::shared_ptr<VitNorm> norm_pre_; // or null, as norm_ and fc_norm_
  std::vector<std::shared_ptr<TokenBlock>> blocks_;
  std::shared_ptr<VitNorm> norm_;
  std::shared_ptr<VitPool> attn_pool_; // or null
  std::shared_ptr<VitNorm> fc_norm_;
  std::shared_ptr<Linear> head_;
  std::shared_ptr<Linear> head_dist_; // or null
};

} // namespace

const MakeNetwork make_vit = construct<Vit>;

} // namespace vitrain::networks
