#include "models/families/crossvit.h"

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/families/vit.h"
#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/init.h"
#include "networks/layers/recompute.h"
#include "networks/networks.h"

// Tokens are [N, T, D], the class token first. There are two branches, each
// with its own layers. ModuleLists and their numbered children have timm's
// names.
namespace vitrain::networks {
namespace {

using models::CrossVitSpec;
using models::crossvit::kPatches;

constexpr double kCrossNormEps = 1e-6;
constexpr std::size_t kBranches = 2;

template <typename T>
using Both = std::array<T, kBranches>;

constexpr std::size_t other(std::size_t branch) {
  return kBranches - 1 - branch;
}

at::Tensor class_token(const at::Tensor& tokens) {
  return tokens.narrow(1, 0, 1);
}

at::Tensor patches_of(const at::Tensor& tokens) {
  return tokens.narrow(1, 1, tokens.size(1) - 1);
}

// Patch embedding by one convolution or three.
class CrossPatchEmbed : public torch::nn::Module {
 public:
  CrossPatchEmbed(
      std::int64_t channels,
      const CrossVitSpec& net,
      std::size_t branch,
      const at::Generator& generator) {
    const std::int64_t width = net.widths[branch];
    const std::int64_t patch = kPatches[branch];
    if (!net.three_convolutions) {
      whole_ = add_layer<Conv2d>(
          *this, "proj", patch_shape(channels, width, patch), generator);
      return;
    }
    // The first convolution reduces sides to a quarter; the others reduce them
    // by 3 and 1 (patch 12) or by 2 and 2 (patch 16).
    const bool thirds = patch == 12;
    const auto list = add_layer<torch::nn::Module>(*this, "proj");
    const auto add = [&](const char* name, const Conv2d::Shape& shape) {
      steps_.push_back(
          add_layer<Conv2d>(*list, name, shape.with_bias(), generator));
    };
    const std::int64_t half = width / 2;
    add("0", padded_shape(channels, half / 2, /*kernel=*/7, /*stride=*/4));
    add("2",
        thirds ? patch_shape(half / 2, half, 3)
               : padded_shape(half / 2, half, /*kernel=*/3, /*stride=*/2));
    add("4", padded_shape(half, width, /*kernel=*/3, thirds ? 1 : 2));
  }

  // [N, C, H, W] -> [N, T, D]
  at::Tensor operator()(const at::Tensor& images) const {
    if (whole_) {
      return (*whole_)(images).flatten(2).transpose(1, 2);
    }
    at::Tensor x = activate((*steps_[0])(images), Activation::kRelu);
    x = activate((*steps_[1])(x), Activation::kRelu);
    return (*steps_[2])(x).flatten(2).transpose(1, 2);
  }

 private:
  std::shared_ptr<Conv2d> whole_; // null if steps_ is used
  std::vector<std::shared_ptr<Conv2d>> steps_; // empty if whole_ is used
};

// Projects a class token to the other branch's width: norm, GELU, linear layer.
class CrossProjection : public torch::nn::Module {
 public:
  CrossProjection(
      std::int64_t in,
      std::int64_t out,
      const at::Generator& generator) {
    norm_ = add_layer<LayerNorm>(*this, "0", in, kCrossNormEps);
    linear_ = add_layer<Linear>(*this, "2", in, out, generator);
  }

  at::Tensor operator()(const at::Tensor& x) const {
    return (*linear_)(at::gelu((*norm_)(x)));
  }

 private:
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> linear_;
};

class CrossAttention : public torch::nn::Module {
 public:
  CrossAttention(
      std::int64_t width,
      std::int64_t heads,
      const at::Generator& generator)
      : heads_(heads) {
    wq_ = add_layer<Linear>(*this, "wq", width, width, generator);
    wk_ = add_layer<Linear>(*this, "wk", width, width, generator);
    wv_ = add_layer<Linear>(*this, "wv", width, width, generator);
    proj_ = add_layer<Linear>(*this, "proj", width, width, generator);
  }

  // Cross attention of the first token to all tokens: [N, T, D] -> [N, 1, D].
  at::Tensor operator()(const at::Tensor& x) const {
    const at::Tensor token = class_token(x);
    const at::Tensor seen = attention(
        split_heads((*wq_)(token), heads_),
        split_heads((*wk_)(x), heads_),
        split_heads((*wv_)(x), heads_));
    return (*proj_)(seen.transpose(1, 2).reshape(token.sizes()));
  }

 private:
  std::int64_t heads_;
  std::shared_ptr<Linear> wq_;
  std::shared_ptr<Linear> wk_;
  std::shared_ptr<Linear> wv_;
  std::shared_ptr<Linear> proj_;
};

// Cross attention of one branch's class token, projected to the other branch's
// width, to the patches of the other branch.
class CrossFusion : public torch::nn::Module {
 public:
  CrossFusion(
      std::int64_t width,
      std::int64_t heads,
      std::int64_t row,
      const at::Generator& generator)
      : row_(row) {
    norm1_ = add_layer<LayerNorm>(*this, "norm1", width, kCrossNormEps);
    attn_ = add_layer<CrossAttention>(*this, "attn", width, heads, generator);
  }

  // token [N, 1, D], patches [N, T, D] -> [N, 1, D]
  at::Tensor operator()(
      const at::Tensor& token,
      const at::Tensor& patches,
      const at::Tensor& drop) const {
    const at::Tensor all = at::cat({token, patches}, 1);
    return add_branch(token, (*attn_)((*norm1_)(all)), drop, row_);
  }

 private:
  std::int64_t row_; // row of drop factors
  std::shared_ptr<LayerNorm> norm1_;
  std::shared_ptr<CrossAttention> attn_;
};

// Blocks of both branches, followed by the exchange of class tokens.
class CrossStage : public torch::nn::Module {
 public:
  // `rates`: drop rate of each block of the deeper branch; the first ones are
  // also those of the other branch. Adds the residual branches to `paths`.
  CrossStage(
      const CrossVitSpec& net,
      std::span<const double> rates,
      DropPaths& paths,
      const at::Generator& generator) {
    const auto blocks = add_layer<torch::nn::ModuleListImpl>(*this, "blocks");
    for (std::size_t branch = 0; branch < kBranches; ++branch) {
      const models::VitSpec spec = vit_block_spec(
          net.widths[branch], net.heads[branch], net.mlp_ratios[branch]);
      const auto own = append_layer<torch::nn::ModuleListImpl>(*blocks);
      for (std::int64_t i = 0; i < net.depths[branch]; ++i) {
        const double rate = rates[static_cast<std::size_t>(i)];
        const std::int64_t row = paths.add(rate, /*branches=*/2);
        blocks_[branch].push_back(
            append_layer<VitBlock>(*own, spec, row / 2, generator));
      }
    }
    add_projections("projs", net, /*back=*/false, projs_, generator);
    const auto fusion = add_layer<torch::nn::ModuleListImpl>(*this, "fusion");
    for (std::size_t branch = 0; branch < kBranches; ++branch) {
      fusion_[branch] = append_layer<CrossFusion>(
          *fusion,
          net.widths[other(branch)],
          net.heads[other(branch)],
          paths.add(rates.back()),
          generator);
    }
    add_projections("revert_projs", net, /*back=*/true, reverts_, generator);
  }

  // Runs each branch's blocks on its tokens [N, T, D]; shapes do not change.
  Both<at::Tensor> forward(Both<at::Tensor> x, const VitDrops& drops) const {
    for (std::size_t branch = 0; branch < kBranches; ++branch) {
      const std::int64_t images = x[branch].size(0);
      const at::Tensor tokens = run_blocks(
          x[branch].flatten(0, 1),
          {},
          blocks_[branch],
          images,
          drops,
          kAllTokens);
      x[branch] = tokens.view(x[branch].sizes());
    }
    return x;
  }

  // Returns the class tokens [N, 1, D] after the exchange.
  Both<at::Tensor> exchange(const Both<at::Tensor>& x, const at::Tensor& drop)
      const {
    Both<at::Tensor> tokens;
    for (std::size_t branch = 0; branch < kBranches; ++branch) {
      tokens[branch] = (*reverts_[branch])((*fusion_[branch])(
          (*projs_[branch])(class_token(x[branch])),
          patches_of(x[other(branch)]),
          drop));
    }
    return tokens;
  }

 private:
  // Adds projections from each branch's width to the other's, or back.
  void add_projections(
      const char* name,
      const CrossVitSpec& net,
      bool back,
      Both<std::shared_ptr<CrossProjection>>& projections,
      const at::Generator& generator) {
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, name);
    for (std::size_t branch = 0; branch < kBranches; ++branch) {
      const std::size_t from = back ? other(branch) : branch;
      projections[branch] = append_layer<CrossProjection>(
          *list, net.widths[from], net.widths[other(from)], generator);
    }
  }

  Both<std::vector<std::shared_ptr<VitBlock>>> blocks_;
  Both<std::shared_ptr<CrossProjection>> projs_;
  Both<std::shared_ptr<CrossFusion>> fusion_;
  Both<std::shared_ptr<CrossProjection>> reverts_;
};

class CrossVit : public ImageModel {
 public:
  CrossVit(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec), net_(spec.get<CrossVitSpec>()) {
    add_embeddings(generator);
    const std::int64_t depth = net_.depths[1];
    const std::vector<double> rates =
        rising_rates(spec.drop_path, net_.stages * depth);
    const auto blocks = add_layer<torch::nn::ModuleListImpl>(*this, "blocks");
    for (std::int64_t i = 0; i < net_.stages; ++i) {
      const auto own = std::span(rates).subspan(
          static_cast<std::size_t>(i * depth), static_cast<std::size_t>(depth));
      stages_.push_back(
          append_layer<CrossStage>(*blocks, net_, own, paths_, generator));
    }
    const auto norms = add_layer<torch::nn::ModuleListImpl>(*this, "norm");
    const auto heads = add_layer<torch::nn::ModuleListImpl>(*this, "head");
    for (std::size_t branch = 0; branch < kBranches; ++branch) {
      const std::int64_t width = net_.widths[branch];
      norms_[branch] = append_layer<LayerNorm>(*norms, width, kCrossNormEps);
      heads_[branch] =
          append_layer<Linear>(*heads, width, spec.num_classes, generator);
    }
    init_weights(generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    const VitDrops drops{.path_factors = drop};
    Both<at::Tensor> x{embed(images, 0), embed(images, 1)};
    Both<at::Tensor> tokens;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      x = stages_[i]->forward(std::move(x), drops);
      tokens = stages_[i]->exchange(x, drop);
      // Patches are not used after the last exchange.
      if (i + 1 < stages_.size()) {
        for (std::size_t branch = 0; branch < kBranches; ++branch) {
          x[branch] = at::cat({tokens[branch], patches_of(x[branch])}, 1);
        }
      }
    }
    const auto of_branch = [&](std::size_t branch) {
      return (*heads_[branch])((*norms_[branch])(tokens[branch].squeeze(1)));
    };
    return (of_branch(0) + of_branch(1)) / 2;
  }

 private:
  void add_embeddings(const at::Generator& generator) {
    const auto list =
        add_layer<torch::nn::ModuleListImpl>(*this, "patch_embed");
    for (std::size_t branch = 0; branch < kBranches; ++branch) {
      const std::int64_t width = net_.widths[branch];
      const std::string number = std::to_string(branch);
      const std::int64_t patches = models::crossvit::grid(spec_, number).area();
      positions_[branch] = register_parameter(
          "pos_embed_" + number,
          new_weights({1, 1 + patches, width}, generator));
      tokens_[branch] = register_parameter(
          "cls_token_" + number, new_weights({1, 1, width}, generator));
      embeds_[branch] = append_layer<CrossPatchEmbed>(
          *list, spec_.channels, net_, branch, generator);
    }
  }

  // Embeds images for one branch, with positions: [N, C, H, W] -> [N, T, D].
  at::Tensor embed(const at::Tensor& images, std::size_t branch) const {
    const ImageSize seen = net_.seen(spec_.image_size, branch);
    const at::Tensor scaled = seen == spec_.image_size
        ? images
        : at::upsample_bicubic2d(
              images, {seen.height, seen.width}, /*align_corners=*/false);
    const at::Tensor token = tokens_[branch].expand({images.size(0), -1, -1});
    return at::cat({token, (*embeds_[branch])(scaled)}, 1) + positions_[branch];
  }

  void init_weights(const at::Generator& generator) {
    for (std::size_t branch = 0; branch < kBranches; ++branch) {
      truncated_normal(positions_[branch], kVitInitStd, generator);
      truncated_normal(tokens_[branch], kVitInitStd, generator);
    }
    init_linear_layers(*this, kVitInitStd, generator);
  }

  CrossVitSpec net_;
  Both<at::Tensor> positions_; // [1, T, D]
  Both<at::Tensor> tokens_; // [1, 1, D]
  Both<std::shared_ptr<CrossPatchEmbed>> embeds_;
  std::vector<std::shared_ptr<CrossStage>> stages_;
  Both<std::shared_ptr<LayerNorm>> norms_;
  Both<std::shared_ptr<Linear>> heads_;
};

} // namespace

const MakeNetwork make_crossvit = construct<CrossVit>;

} // namespace vitrain::networks
