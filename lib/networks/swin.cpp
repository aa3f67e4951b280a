#include "models/families/swin.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/layers/blocks.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/model.h"

// Tokens travel as images [N, H, W, C].
namespace vitrain::networks {
namespace {

constexpr double kSwinNormEps = 1e-5;
constexpr double kSwinInitStd = 0.02;
// Added to what a token of a shifted window must not see.
constexpr double kMasked = -100.0;

// Where a block's attention looks: windows of `window` tokens a side on a grid
// of `side` tokens, which moves by `shift` first.
struct Windows {
  std::int64_t side = 0;
  std::int64_t window = 0;
  std::int64_t shift = 0; // 0: none

  Windows(std::int64_t grid, std::int64_t size, bool shifted)
      : side(grid),
        window(std::min(grid, size)),
        shift(shifted && grid > size ? size / 2 : 0) {}

  // The side with what fills the last window.
  std::int64_t padded() const { return (side + window - 1) / window * window; }
};

// Tokens [N, H, W, C] -> [N * windows, window^2, C], and back.
at::Tensor cut(const at::Tensor& x, std::int64_t window) {
  const std::int64_t rows = x.size(1) / window;
  const std::int64_t columns = x.size(2) / window;
  return x.view({-1, rows, window, columns, window, x.size(3)})
      .permute({0, 1, 3, 2, 4, 5})
      .reshape({-1, window * window, x.size(3)});
}

at::Tensor
join_windows(const at::Tensor& x, std::int64_t window, std::int64_t side) {
  const std::int64_t count = side / window;
  return x.view({-1, count, count, window, window, x.size(2)})
      .permute({0, 1, 3, 2, 4, 5})
      .reshape({-1, side, side, x.size(2)});
}

// [N, H, W, C], its first `by` rows and columns put behind the others, as
// at::roll does it, which knows no meta tensors.
at::Tensor rolled(const at::Tensor& x, std::int64_t by) {
  const at::Tensor rows = at::cat({x.slice(1, by), x.slice(1, 0, by)}, 1);
  return at::cat({rows.slice(2, by), rows.slice(2, 0, by)}, 2);
}

// Row of the bias table for each pair of tokens of a window: [window^4] int64.
at::Tensor relative_positions(std::int64_t window) {
  const std::int64_t area = window * window;
  at::Tensor index = at::empty({area * area}, at::kLong);
  auto* out = index.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < area; ++i) {
    for (std::int64_t j = 0; j < area; ++j) {
      const std::int64_t down = i / window - j / window + window - 1;
      const std::int64_t right = i % window - j % window + window - 1;
      *out++ = down * (2 * window - 1) + right;
    }
  }
  return index;
}

// What keeps tokens apart that stand in one window only because the grid was
// moved around its edges: [windows, 1, window^2, window^2], or undefined.
at::Tensor shift_mask(const Windows& windows) {
  if (windows.shift == 0) {
    return {};
  }
  const std::int64_t side = windows.padded();
  const at::Tensor region = at::zeros({1, side, side, 1});
  const std::array<std::int64_t, 4> edges{
      0, side - windows.window, side - windows.shift, side};
  double number = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      region.slice(1, edges[i], edges[i + 1])
          .slice(2, edges[j], edges[j + 1])
          .fill_(number);
      number += 1.0;
    }
  }
  const at::Tensor of_token = cut(region, windows.window).squeeze(-1);
  const at::Tensor apart = of_token.unsqueeze(1).ne(of_token.unsqueeze(2));
  return apart.to(at::kFloat).mul(kMasked).unsqueeze(1);
}

class SwinAttention : public torch::nn::Module {
 public:
  SwinAttention(
      std::int64_t width,
      std::int64_t heads,
      const Windows& windows,
      const at::Generator& generator)
      : heads_(heads),
        positions_(relative_positions(windows.window)),
        mask_(shift_mask(windows)) {
    const std::int64_t reach = 2 * windows.window - 1;
    table_ = register_parameter(
        "relative_position_bias_table",
        new_weights({reach * reach, heads}, generator));
    qkv_ = add_layer<Linear>(*this, "qkv", width, 3 * width, generator);
    proj_ = add_layer<Linear>(*this, "proj", width, width, generator);
    truncated_normal(table_, kSwinInitStd, generator);
  }

  // [N * windows, T, C], to itself.
  at::Tensor operator()(const at::Tensor& x) {
    const std::int64_t count = x.size(0);
    const std::int64_t tokens = x.size(1);
    const auto parts = (*qkv_)(x)
                           .view({count, tokens, 3, heads_, -1})
                           .permute({2, 0, 3, 1, 4})
                           .unbind(0);
    const double scale = 1.0 / std::sqrt(static_cast<double>(parts[0].size(3)));
    at::Tensor scores =
        at::matmul(parts[0] * scale, parts[1].transpose(-2, -1));
    const at::Tensor bias = this->bias(tokens);
    if (mask_.defined()) {
      mask_ = mask_.to(x.device());
      const std::int64_t windows = mask_.size(0);
      scores = (scores.view({-1, windows, heads_, tokens, tokens}) +
                (bias + mask_.to(bias.scalar_type())))
                   .view({count, heads_, tokens, tokens});
    } else {
      scores = scores + bias;
    }
    const at::Tensor weights =
        at::softmax(scores, -1).to(parts[2].scalar_type());
    return (*proj_)(at::matmul(weights, parts[2])
                        .transpose(1, 2)
                        .reshape({count, tokens, -1}));
  }

 private:
  // [heads, tokens, tokens].
  at::Tensor bias(std::int64_t tokens) {
    positions_ = positions_.to(table_.device());
    return table_.index({positions_})
        .view({tokens, tokens, heads_})
        .permute({2, 0, 1});
  }

  std::int64_t heads_;
  at::Tensor positions_; // [T * T]
  at::Tensor mask_; // [windows, 1, T, T], or undefined
  at::Tensor table_; // [(2 window - 1)^2, heads]
  std::shared_ptr<Linear> qkv_;
  std::shared_ptr<Linear> proj_;
};

class SwinBlock : public torch::nn::Module {
 public:
  SwinBlock(
      std::int64_t width,
      std::int64_t heads,
      const Windows& windows,
      std::int64_t row,
      const at::Generator& generator)
      : windows_(windows), row_(row) {
    norm1_ = add_layer<LayerNorm>(*this, "norm1", width, kSwinNormEps);
    attn_ = add_layer<SwinAttention>(
        *this, "attn", width, heads, windows, generator);
    norm2_ = add_layer<LayerNorm>(*this, "norm2", width, kSwinNormEps);
    mlp_ = add_layer<Mlp>(*this, "mlp", width, 4 * width, generator);
  }

  at::Tensor forward(const at::Tensor& x, const at::Tensor& drop) const {
    const at::Tensor y = add_branch(x, attend((*norm1_)(x)), drop, row_);
    return add_branch(y, (*mlp_)((*norm2_)(y)), drop, row_ + 1);
  }

 private:
  at::Tensor attend(at::Tensor x) const {
    const auto& [side, window, shift] = windows_;
    if (shift > 0) {
      x = rolled(x, shift);
    }
    const std::int64_t padded = windows_.padded();
    if (padded > side) {
      const std::int64_t more = padded - side;
      x = at::constant_pad_nd(x, {0, 0, 0, more, 0, more});
    }
    x = join_windows((*attn_)(cut(x, window)), window, padded);
    if (padded > side) {
      x = x.slice(1, 0, side).slice(2, 0, side);
    }
    return shift > 0 ? rolled(x, side - shift) : x.contiguous();
  }

  Windows windows_;
  std::int64_t row_; // among the factors of what is dropped: row_, row_ + 1
  std::shared_ptr<LayerNorm> norm1_;
  std::shared_ptr<SwinAttention> attn_;
  std::shared_ptr<LayerNorm> norm2_;
  std::shared_ptr<Mlp> mlp_;
};

// Four neighbours to one token of twice the width.
class PatchMerging : public torch::nn::Module {
 public:
  PatchMerging(std::int64_t width, const at::Generator& generator) {
    norm_ = add_layer<LayerNorm>(*this, "norm", 4 * width, kSwinNormEps);
    reduction_ = add_layer<Linear>(
        *this, "reduction", 4 * width, 2 * width, generator, false);
  }

  // [N, H, W, C] -> [N, ceil(H / 2), ceil(W / 2), 2 C]
  at::Tensor operator()(at::Tensor x) const {
    const std::int64_t odd = x.size(1) % 2;
    if (odd > 0) {
      x = at::constant_pad_nd(x, {0, 0, 0, odd, 0, odd});
    }
    const std::int64_t half = x.size(1) / 2;
    x = x.view({-1, half, 2, half, 2, x.size(3)})
            .permute({0, 1, 3, 4, 2, 5})
            .flatten(3);
    return (*reduction_)((*norm_)(x));
  }

 private:
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> reduction_;
};

class SwinStage : public torch::nn::Module {
 public:
  SwinStage(
      const models::SwinSpec& net,
      std::size_t stage,
      std::int64_t side,
      const std::vector<std::int64_t>& rows,
      const at::Generator& generator) {
    const std::int64_t width = net.embed_dim << stage;
    if (stage > 0) {
      downsample_ =
          add_layer<PatchMerging>(*this, "downsample", width / 2, generator);
    }
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "blocks");
    for (const std::int64_t row : rows) {
      const Windows windows(
          side, net.windows[stage], /*shifted=*/blocks_.size() % 2 == 1);
      blocks_.push_back(std::make_shared<SwinBlock>(
          width, net.heads[stage], windows, row, generator));
      list->push_back(blocks_.back());
    }
  }

  at::Tensor forward(at::Tensor x, const at::Tensor& drop) const {
    x = downsample_ ? (*downsample_)(x) : x;
    for (const auto& block : blocks_) {
      x = block->forward(x, drop);
    }
    return x;
  }

 private:
  std::shared_ptr<PatchMerging> downsample_;
  std::vector<std::shared_ptr<SwinBlock>> blocks_;
};

class Swin : public Model {
 public:
  Swin(const models::ModelSpec& spec, const at::Generator& generator)
      : spec_(spec) {
    const auto& net = spec.get<models::SwinSpec>();
    patch_embed_ = add_layer<PatchEmbed>(
        *this,
        "patch_embed",
        spec.channels,
        models::swin::kPatch,
        net.embed_dim,
        generator);
    patch_norm_ = add_layer<LayerNorm>(
        *patch_embed_, "norm", net.embed_dim, kSwinNormEps);
    const std::vector<double> rates = rising_rates(
        spec.drop_path,
        std::accumulate(net.depths.begin(), net.depths.end(), std::int64_t{0}));
    auto rate = rates.begin();
    std::int64_t side = spec.image_size.height / models::swin::kPatch;
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "layers");
    for (std::size_t stage = 0; stage < net.depths.size(); ++stage) {
      std::vector<std::int64_t> rows;
      for (std::int64_t i = 0; i < net.depths[stage]; ++i) {
        rows.push_back(paths_.add(*rate));
        paths_.add(*rate++); // both branches of a block share it
      }
      side = stage > 0 ? (side + 1) / 2 : side;
      stages_.push_back(
          std::make_shared<SwinStage>(net, stage, side, rows, generator));
      list->push_back(stages_.back());
    }
    const std::int64_t width = net.embed_dim << 3;
    norm_ = add_layer<LayerNorm>(*this, "norm", width, kSwinNormEps);
    const auto head = add_layer<torch::nn::Module>(*this, "head");
    fc_ = add_layer<Linear>(*head, "fc", width, spec.num_classes, generator);
    start(generator);
  }

  at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor& drop,
      const at::Generator& /*dropout*/) override {
    check_images(images, spec_);
    const std::int64_t side = images.size(2) / models::swin::kPatch;
    at::Tensor x = patch_embed_->forward(images);
    x = (*patch_norm_)(x).view({images.size(0), side, side, -1});
    for (const auto& stage : stages_) {
      x = stage->forward(x, drop);
    }
    return (*fc_)((*norm_)(x).flatten(1, 2).mean(1));
  }

  std::vector<double> drop_rates() const override { return paths_.rates(); }

 private:
  void start(const at::Generator& generator) {
    // timm draws them in the order of registration.
    for (const auto& module : modules(/*include_self=*/false)) {
      if (auto* linear = module->as<Linear>()) {
        truncated_normal(linear->weight, kSwinInitStd, generator);
        if (linear->bias.defined()) {
          constant(linear->bias, 0.0);
        }
      }
    }
  }

  models::ModelSpec spec_;
  DropPaths paths_;
  std::shared_ptr<PatchEmbed> patch_embed_;
  std::shared_ptr<LayerNorm> patch_norm_;
  std::vector<std::shared_ptr<SwinStage>> stages_;
  std::shared_ptr<LayerNorm> norm_;
  std::shared_ptr<Linear> fc_;
};

} // namespace

std::shared_ptr<Model> make_swin(
    const models::ModelSpec& spec,
    const at::Generator& generator) {
  return std::make_shared<Swin>(spec, generator);
}

} // namespace vitrain::networks
