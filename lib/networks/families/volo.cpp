#include "models/families/volo.h"

#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/layers/norm_relu.h"
#include "networks/layers/recompute.h"
#include "networks/networks.h"

// Tokens are images [N, H, W, C] in the first stage, [N, T, C] in later ones.
namespace vitrain::networks {
namespace {

constexpr double kVoloNormEps = 1e-5;
constexpr double kVoloInitStd = 0.02;
constexpr std::int64_t kVoloClassBlocks = 2;
// Weight of a class's highest score of all patch tokens, which is added to the
// class token's score.
constexpr double kVoloTokenPart = 0.5;

// Side and area of a window.
constexpr std::int64_t kOutlookSide = 3;
constexpr std::int64_t kOutlookArea = kOutlookSide * kOutlookSide;

// Shifts x by one along dimension `dim`, towards its end if `by` is 1, towards
// its beginning if `by` is -1, and fills with zeros.
at::Tensor
moved_by_one(const at::Tensor& x, std::int64_t dim, std::int64_t by) {
  const std::int64_t size = x.size(dim);
  std::vector<std::int64_t> padding(
      static_cast<std::size_t>(2 * (x.dim() - dim)), 0);
  padding[padding.size() - (by > 0 ? 2 : 1)] = 1;
  const at::Tensor kept =
      by > 0 ? x.slice(dim, 0, size - 1) : x.slice(dim, 1, size);
  return at::constant_pad_nd(kept, padding);
}

// Splits dimension `dim` of size S into windows [ceil(S / 2), 3]. Window r has
// pixels 2 r - 1, 2 r and 2 r + 1; pixels outside are zero.
at::Tensor windows_along(at::Tensor x, std::int64_t dim) {
  if (x.size(dim) % 2 > 0) {
    std::vector<std::int64_t> padding(
        static_cast<std::size_t>(2 * (x.dim() - dim)), 0);
    padding.back() = 1;
    x = at::constant_pad_nd(x, padding);
  }
  const at::Tensor middle = x.slice(dim, 0, {}, 2);
  const at::Tensor last = x.slice(dim, 1, {}, 2);
  return at::stack({moved_by_one(last, dim, 1), middle, last}, dim + 1);
}

// Transpose of windows_along(): sums windows [ceil(size / 2), 3] at `dim` back
// into `size` pixels.
at::Tensor
sum_of_windows(const at::Tensor& x, std::int64_t dim, std::int64_t size) {
  const auto parts = x.unbind(dim + 1);
  const at::Tensor odd = parts[2] + moved_by_one(parts[0], dim, -1);
  return at::stack({parts[1], odd}, dim + 1)
      .flatten(dim, dim + 1)
      .slice(dim, 0, size);
}

// Outlook attention (Yuan et al., "VOLO", section 3.1) over windows of 3 x 3
// pixels with stride 2, the first centred at pixel 0. A linear layer computes
// each window's mixing weights from the mean of the 2 x 2 pixels that begin at
// its centre; each output pixel is the sum over the windows that contain it.
class OutlookAttention : public torch::nn::Module {
 public:
  OutlookAttention(
      std::int64_t width,
      std::int64_t heads,
      const at::Generator& generator)
      : heads_(heads) {
    v_ = add_layer<Linear>(*this, "v", width, width, generator, false);
    attn_ = add_layer<Linear>(
        *this, "attn", width, kOutlookArea * kOutlookArea * heads, generator);
    proj_ = add_layer<Linear>(*this, "proj", width, width, generator);
  }

  // [N, H, W, C] -> [N, H, W, C]
  at::Tensor operator()(const at::Tensor& x) const {
    const std::int64_t width = x.size(3);
    // [N, h, 3, w, 3, C] -> [N, h, w, heads, 9, C / heads]
    const at::Tensor value = windows_along(windows_along((*v_)(x), 1), 3);
    const std::int64_t rows = value.size(1);
    const std::int64_t columns = value.size(3);
    const at::Tensor by_head =
        value
            .view(
                {-1,
                 rows,
                 kOutlookSide,
                 columns,
                 kOutlookSide,
                 heads_,
                 width / heads_})
            .permute({0, 1, 3, 5, 2, 4, 6})
            .reshape({-1, rows, columns, heads_, kOutlookArea, width / heads_});
    const at::Tensor seen =
        at::matmul(weights(x).to(by_head.scalar_type()), by_head)
            .view(
                {-1,
                 rows,
                 columns,
                 heads_,
                 kOutlookSide,
                 kOutlookSide,
                 width / heads_})
            .permute({0, 1, 4, 2, 5, 3, 6})
            .flatten(5);
    return (*proj_)(
        sum_of_windows(sum_of_windows(seen, 3, x.size(2)), 1, x.size(1)));
  }

 private:
  // Computes the weights between the pixels of each window: [N, H, W, C] -> [N,
  // ceil(H / 2), ceil(W / 2), heads, 9, 9].
  at::Tensor weights(const at::Tensor& x) const {
    const at::Tensor means = at::avg_pool2d(
                                 x.permute({0, 3, 1, 2}),
                                 /*kernel_size=*/2,
                                 /*stride=*/2,
                                 /*padding=*/0,
                                 /*ceil_mode=*/true)
                                 .permute({0, 2, 3, 1});
    const double scale =
        1.0 / std::sqrt(static_cast<double>(x.size(3) / heads_));
    const at::Tensor scores = (*attn_)(means).view(
        {-1, means.size(1), means.size(2), heads_, kOutlookArea, kOutlookArea});
    return at::softmax(scores * scale, -1);
  }

  std::int64_t heads_;
  std::shared_ptr<Linear> v_;
  std::shared_ptr<Linear> attn_;
  std::shared_ptr<Linear> proj_;
};

// Self-attention over all tokens.
class VoloAttention : public torch::nn::Module {
 public:
  VoloAttention(
      std::int64_t width,
      std::int64_t heads,
      const at::Generator& generator)
      : heads_(heads) {
    qkv_ = add_layer<Linear>(*this, "qkv", width, 3 * width, generator, false);
    proj_ = add_layer<Linear>(*this, "proj", width, width, generator);
  }

  // [N, T, C] -> [N, T, C]
  at::Tensor operator()(const at::Tensor& x) const {
    const auto parts = split_parts((*qkv_)(x), 3, heads_);
    return (*proj_)(attention(parts[0], parts[1], parts[2])
                        .transpose(1, 2)
                        .reshape(x.sizes()));
  }

 private:
  std::int64_t heads_;
  std::shared_ptr<Linear> qkv_;
  std::shared_ptr<Linear> proj_;
};

// Class attention: the first token attends to all tokens (Touvron et al.,
// "Going deeper with image transformers", ICCV 2021).
class VoloClassAttention : public torch::nn::Module {
 public:
  VoloClassAttention(
      std::int64_t width,
      std::int64_t heads,
      const at::Generator& generator)
      : heads_(heads) {
    kv_ = add_layer<Linear>(*this, "kv", width, 2 * width, generator, false);
    q_ = add_layer<Linear>(*this, "q", width, width, generator, false);
    proj_ = add_layer<Linear>(*this, "proj", width, width, generator);
  }

  // [N, T, C] -> [N, 1, C]
  at::Tensor operator()(const at::Tensor& x) const {
    const auto parts = split_parts((*kv_)(x), 2, heads_);
    const at::Tensor query =
        (*q_)(x.slice(1, 0, 1).contiguous()).view({x.size(0), heads_, 1, -1});
    return (*proj_)(attention(query, parts[0], parts[1])
                        .reshape({x.size(0), 1, x.size(2)}));
  }

 private:
  std::int64_t heads_;
  std::shared_ptr<Linear> kv_;
  std::shared_ptr<Linear> q_;
  std::shared_ptr<Linear> proj_;
};

// A block's layers: norm1, attn, norm2, mlp.
template <typename Attention>
class VoloBlock : public torch::nn::Module {
 public:
  VoloBlock(
      std::int64_t width,
      std::int64_t heads,
      std::int64_t mlp_ratio,
      double rate,
      DropPaths& paths,
      const at::Generator& generator)
      : row_(paths.add(rate, /*branches=*/2)) {
    norm1_ = add_layer<LayerNorm>(*this, "norm1", width, kVoloNormEps);
    attn_ = add_layer<Attention>(*this, "attn", width, heads, generator);
    norm2_ = add_layer<LayerNorm>(*this, "norm2", width, kVoloNormEps);
    mlp_ = add_layer<Mlp>(*this, "mlp", width, mlp_ratio * width, generator);
  }

  at::Tensor forward(const at::Tensor& x, const at::Tensor& drop) const {
    return add_branches(x, x, drop);
  }

  // Lets the first token [N, 1, C] attend to itself and the other tokens: [N,
  // 1, C].
  at::Tensor forward_with_outlook(
      const at::Tensor& first,
      const at::Tensor& others,
      const at::Tensor& drop) const {
    return add_branches(first, at::cat({first, others}, 1), drop);
  }

 private:
  at::Tensor add_branches(
      const at::Tensor& x,
      const at::Tensor& seen,
      const at::Tensor& drop) const {
    const at::Tensor y = add_branch(x, (*attn_)((*norm1_)(seen)), drop, row_);
    return add_branch(y, (*mlp_)((*norm2_)(y)), drop, row_ + 1);
  }

  std::int64_t row_; // first of two rows of drop factors
  std::shared_ptr<LayerNorm> norm1_;
  std::shared_ptr<Attention> attn_;
  std::shared_ptr<LayerNorm> norm2_;
  std::shared_ptr<Mlp> mlp_;
};

using Outlooker = VoloBlock<OutlookAttention>;
using VoloTransformer = VoloBlock<VoloAttention>;
using VoloClassBlock = VoloBlock<VoloClassAttention>;

// Patch embedding of the first stage by four convolutions.
class VoloPatchEmbed : public torch::nn::Module {
 public:
  VoloPatchEmbed(
      std::int64_t channels,
      const models::VoloSpec& net,
      const at::Generator& generator) {
    const auto conv = add_layer<torch::nn::Module>(*this, "conv");
    const std::int64_t width = net.stem_width;
    for (std::int64_t i = 0; i < 3; ++i) {
      const Conv2d::Shape shape = i == 0
          ? padded_shape(channels, width, /*kernel=*/7, /*stride=*/2)
          : padded_shape(width, width, /*kernel=*/3);
      // As in timm, numbers include the ReLU after each norm.
      convs_.push_back(
          add_layer<Conv2d>(*conv, std::to_string(3 * i), shape, generator));
      convs_.back()->use_channels_last();
      norms_.push_back(
          add_layer<BatchNorm2d>(*conv, std::to_string(3 * i + 1), width));
    }
    const std::int64_t patch = models::volo::kPatch / 2;
    proj_ = add_layer<Conv2d>(
        *this, "proj", patch_shape(width, net.outlook_width, patch), generator);
    proj_->use_channels_last();
  }

  // [N, channels, H, W] -> [N, H / 8, W / 8, C]
  at::Tensor forward(const at::Tensor& images) const {
    at::Tensor x = images.contiguous(at::MemoryFormat::ChannelsLast);
    for (std::size_t i = 0; i < convs_.size(); ++i) {
      x = norm_relu(*norms_[i], (*convs_[i])(x)).trunk;
    }
    return (*proj_)(x).permute({0, 2, 3, 1}).contiguous();
  }

 private:
  std::vector<std::shared_ptr<Conv2d>> convs_;
  std::vector<std::shared_ptr<BatchNorm2d>> norms_;
  std::shared_ptr<Conv2d> proj_;
};

class Volo : public ImageModel {
 public:
  Volo(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<models::VoloSpec>();
    patch_embed_ = add_layer<VoloPatchEmbed>(
        *this, "patch_embed", spec.channels, net, generator);
    const std::int64_t cell = 2 * models::volo::kPatch;
    pos_embed_ = register_parameter(
        "pos_embed",
        new_weights(
            {1,
             spec.image_size.height / cell,
             spec.image_size.width / cell,
             net.width},
            generator));
    add_stages(net, generator);
    const auto post =
        add_layer<torch::nn::ModuleListImpl>(*this, "post_network");
    for (std::int64_t i = 0; i < kVoloClassBlocks; ++i) {
      class_blocks_.push_back(append_layer<VoloClassBlock>(
          *post, net.width, net.heads, net.mlp_ratio, 0.0, paths_, generator));
    }
    cls_token_ = register_parameter(
        "cls_token", new_weights({1, 1, net.width}, generator));
    truncated_normal(cls_token_, kVoloInitStd, generator);
    aux_head_ = add_layer<Linear>(
        *this, "aux_head", net.width, spec.num_classes, generator);
    norm_ = add_layer<LayerNorm>(*this, "norm", net.width, kVoloNormEps);
    head_ = add_layer<Linear>(
        *this, "head", net.width, spec.num_classes, generator);
    init_weights(generator);
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    at::Tensor x = patch_embed_->forward(images);
    x = run_blocks(x, {}, outlookers_, drop);
    x = (downsample_->over_pixels(x) + pos_embed_).flatten(1, 2);
    x = run_blocks(x, {}, transformers_, drop);
    at::Tensor first = cls_token_.expand({x.size(0), -1, -1});
    for (const auto& block : class_blocks_) {
      first = block->forward_with_outlook(first, x, drop);
    }
    const at::Tensor of_tokens = (*aux_head_)((*norm_)(x));
    return (*head_)((*norm_)(first).squeeze(1)) +
        kVoloTokenPart * std::get<0>(at::max(of_tokens, 1));
  }

 private:
  void add_stages(const models::VoloSpec& net, const at::Generator& generator) {
    const auto& depths = net.depths;
    const std::vector<double> rates = rising_rates(spec_.drop_path, depths);
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "network");
    auto rate = rates.begin() + depths[0]; // timm does not drop outlookers
    for (std::size_t stage = 0; stage < depths.size(); ++stage) {
      const auto blocks = append_layer<torch::nn::Module>(*list);
      for (std::int64_t i = 0; i < depths[stage]; ++i) {
        const std::string name = std::to_string(i);
        if (stage == 0) {
          outlookers_.push_back(add_layer<Outlooker>(
              *blocks,
              name,
              net.outlook_width,
              net.outlook_heads,
              net.mlp_ratio,
              0.0,
              paths_,
              generator));
        } else {
          transformers_.push_back(add_layer<VoloTransformer>(
              *blocks,
              name,
              net.width,
              net.heads,
              net.mlp_ratio,
              *rate++,
              paths_,
              generator));
        }
      }
      if (stage == 0) {
        add_downsample(*append_layer<torch::nn::Module>(*list), net, generator);
      }
    }
  }

  void add_downsample(
      torch::nn::Module& module,
      const models::VoloSpec& net,
      const at::Generator& generator) {
    const Conv2d::Shape shape = patch_shape(net.outlook_width, net.width, 2);
    downsample_ = add_layer<Conv2d>(module, "proj", shape, generator);
    downsample_->use_channels_last();
  }

  void init_weights(const at::Generator& generator) {
    truncated_normal(pos_embed_, kVoloInitStd, generator);
    init_linear_layers(*this, kVoloInitStd, generator);
  }

  std::shared_ptr<VoloPatchEmbed> patch_embed_;
  at::Tensor pos_embed_; // [1, H / 16, W / 16, C]
  std::vector<std::shared_ptr<Outlooker>> outlookers_;
  std::shared_ptr<Conv2d> downsample_;
  std::vector<std::shared_ptr<VoloTransformer>> transformers_;
  std::vector<std::shared_ptr<VoloClassBlock>> class_blocks_;
  at::Tensor cls_token_; // [1, 1, C]
  std::shared_ptr<Linear> aux_head_; // classifies every patch token
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> head_; // classifies the class token
};

} // namespace

const MakeNetwork make_volo = construct<Volo>;

} // namespace vitrain::networks
