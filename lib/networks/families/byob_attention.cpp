#include "networks/families/byob_attention.h"

#include <cmath>

#include <ATen/ATen.h>

#include "networks/layers/init.h"
#include "networks/layers/layers.h"

namespace vitrain::networks {
namespace {

using models::ByobBlocks;

// Number of heads, their key and value widths, and the factor of their
// attention scores.
struct Heads {
  std::int64_t count;
  std::int64_t key;
  std::int64_t value;
  double scale;

  Heads(const ByobBlocks& block, std::int64_t channels)
      : count(block.heads),
        key(block.head_width > 0
                ? block.head_width
                : models::multiple_of_8(
                      static_cast<double>(channels) * block.qk_ratio) /
                    block.heads),
        value(channels / block.heads),
        scale(std::pow(static_cast<double>(key), -0.5)) {}
};

// Returns, for each pair of one of `queries` pixels and one of the `window`
// pixels it attends to, the row in a table of 2 * window - 1 distances:
// [queries * window] int64.
at::Tensor distances(std::int64_t queries, std::int64_t window) {
  at::Tensor index = at::empty({queries * window}, at::kLong);
  auto* out = index.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < queries; ++i) {
    for (std::int64_t j = 0; j < window; ++j) {
      *out++ = j - i + window - 1;
    }
  }
  return index;
}

// Relative position scores from one learned vector per vertical and per
// horizontal distance (Bello et al., "Attention augmented convolutional
// networks", ICCV 2019).
class RelativePositions : public torch::nn::Module {
 public:
  // `from`: size of the queries' grid, `to`: size of the keys' grid.
  RelativePositions(
      const ImageSize& from,
      const ImageSize& to,
      const Heads& heads,
      const at::Generator& generator)
      : std_(heads.scale),
        down_(distances(from.height, to.height)),
        across_(distances(from.width, to.width)) {
    height_rel_ = register_parameter(
        "height_rel", new_weights({2 * to.height - 1, heads.key}, generator));
    width_rel_ = register_parameter(
        "width_rel", new_weights({2 * to.width - 1, heads.key}, generator));
    normal(height_rel_, std_, generator);
    normal(width_rel_, std_, generator);
  }

  // Queries [B, y, x, d] -> scores [B, y * x, to.height * to.width].
  at::Tensor operator()(const at::Tensor& query) {
    down_ = down_.to(query.device());
    across_ = across_.to(query.device());
    const at::Tensor rows =
        along(query.transpose(1, 2), height_rel_, down_).transpose(1, 2);
    const at::Tensor columns = along(query, width_rel_, across_);
    return (rows.unsqueeze(4) + columns.unsqueeze(3)).flatten(3).flatten(1, 2);
  }

  void init_weights(const at::Generator& generator) {
    truncated_normal(height_rel_, std_, generator);
    truncated_normal(width_rel_, std_, generator);
  }

 private:
  // Products of the queries with the vector of each distance along one axis: q
  // [B, y, x, d] -> [B, y, x, window]. One matrix product per x.
  static at::Tensor along(
      const at::Tensor& query,
      const at::Tensor& table,
      const at::Tensor& index) {
    const std::int64_t x = query.size(2);
    const at::Tensor vectors =
        table.index({index}).view({x, -1, table.size(1)});
    return at::matmul(
               query.permute({2, 0, 1, 3}).flatten(1, 2),
               vectors.transpose(1, 2))
        .view({x, query.size(0), query.size(1), -1})
        .permute({1, 2, 0, 3});
  }

  double std_;
  at::Tensor down_;
  at::Tensor across_;
  at::Tensor height_rel_; // [2 window - 1, d]
  at::Tensor width_rel_; // [2 window - 1, d]
};

// Returns softmax(q k^T scale + positions(q)) v for queries [B, y, x, d], keys
// [B, T, d] and values [B, T, e]: [B, y * x, e].
at::Tensor attend(
    const at::Tensor& query,
    const at::Tensor& key,
    const at::Tensor& value,
    double scale,
    RelativePositions& positions) {
  const at::Tensor scores = at::baddbmm(
      positions(query),
      query.flatten(1, 2),
      key.transpose(1, 2),
      /*beta=*/1.0,
      scale);
  return at::bmm(at::softmax(scores, -1).to(value.scalar_type()), value);
}

// to_pixels(): [N, C, H, W] -> [N, H, W, C]; to_image(): back.
at::Tensor to_pixels(const at::Tensor& x) {
  return x.permute({0, 2, 3, 1});
}

at::Tensor to_image(const at::Tensor& x) {
  return x.permute({0, 3, 1, 2});
}

// Attention over all pixels (Srinivas et al., CVPR 2021). The position weights
// fit a single image size.
class GlobalAttention : public PixelAttention {
 public:
  GlobalAttention(
      const ByobBlocks& block,
      std::int64_t channels,
      std::int64_t stride,
      const ImageSize& size,
      const at::Generator& generator)
      : heads_(block, channels), pool_(stride == 2) {
    const Conv2d::Shape shape{
        .in = channels, .out = heads_.count * (2 * heads_.key + heads_.value)};
    qkv_ = add_layer<Conv2d>(*this, "qkv", shape, generator);
    positions_ = add_layer<RelativePositions>(
        *this, "pos_embed", size, size, heads_, generator);
  }

  at::Tensor operator()(const at::Tensor& x) override {
    const std::int64_t images = x.size(0);
    const std::int64_t rows = x.size(2);
    const std::int64_t keys = heads_.count * heads_.key;
    const auto parts =
        qkv_->pointwise(to_pixels(x))
            .split_with_sizes({keys, keys, heads_.count * heads_.value}, -1);
    // [N, H, W, heads * d] -> [N * heads, H, W, d]
    const auto by_head = [&](const at::Tensor& part) {
      return part.unflatten(3, {heads_.count, -1})
          .permute({0, 3, 1, 2, 4})
          .flatten(0, 1);
    };
    const at::Tensor seen = attend(
        by_head(parts[0]),
        by_head(parts[1]).flatten(1, 2),
        by_head(parts[2]).flatten(1, 2),
        heads_.scale,
        *positions_);
    const at::Tensor y =
        to_image(seen.view({images, heads_.count, rows, -1, heads_.value})
                     .permute({0, 2, 3, 1, 4})
                     .flatten(3));
    return pool_ ? at::avg_pool2d(y, 2, 2) : y;
  }

  void init_weights(const at::Generator& generator) override {
    const auto fan_in = static_cast<double>(qkv_->weight.size(1));
    truncated_normal(qkv_->weight, std::pow(fan_in, -0.5), generator);
    positions_->init_weights(generator);
  }

 private:
  Heads heads_;
  bool pool_;
  std::shared_ptr<Conv2d> qkv_;
  std::shared_ptr<RelativePositions> positions_;
};

// Attention within blocks and their halos (Vaswani et al., CVPR 2021).
class HaloAttention : public PixelAttention {
 public:
  HaloAttention(
      const ByobBlocks& block,
      std::int64_t channels,
      std::int64_t stride,
      const at::Generator& generator)
      : heads_(block, channels),
        block_(block.block),
        halo_(block.halo),
        pool_(block.block % stride != 0),
        stride_(pool_ ? 1 : stride) {
    const Conv2d::Shape query{
        .in = channels, .out = heads_.count * heads_.key, .stride = stride_};
    const Conv2d::Shape keys{
        .in = channels, .out = heads_.count * (heads_.key + heads_.value)};
    q_ = add_layer<Conv2d>(*this, "q", query, generator);
    kv_ = add_layer<Conv2d>(*this, "kv", keys, generator);
    const std::int64_t own = block_ / stride_;
    const std::int64_t window = block_ + 2 * halo_;
    positions_ = add_layer<RelativePositions>(
        *this,
        "pos_embed",
        ImageSize(own, own),
        ImageSize(window, window),
        heads_,
        generator);
  }

  at::Tensor operator()(const at::Tensor& x) override {
    const std::int64_t images = x.size(0);
    const std::int64_t down = x.size(2) / block_;
    const std::int64_t across = x.size(3) / block_;
    const std::int64_t own = block_ / stride_;
    const at::Tensor query =
        to_pixels((*q_)(x))
            .reshape({images, down, own, across, own, heads_.count, -1})
            .permute({0, 1, 3, 5, 2, 4, 6})
            .reshape({-1, own, own, heads_.key});
    const auto parts =
        windows(kv_->pointwise(to_pixels(x)))
            .split_with_sizes({heads_.key, heads_.value}, /*dim=*/-1);
    const at::Tensor seen =
        attend(query, parts[0], parts[1], heads_.scale, *positions_);
    const at::Tensor y = to_image(
        seen.view({images, down, across, heads_.count, own, own, heads_.value})
            .permute({0, 1, 4, 2, 5, 3, 6})
            .reshape({images, down * own, across * own, -1}));
    return pool_ ? at::avg_pool2d(y, 2, 2) : y;
  }

  void init_weights(const at::Generator& generator) override {
    const auto fan_in = static_cast<double>(q_->weight.size(1));
    truncated_normal(q_->weight, std::pow(fan_in, -0.5), generator);
    truncated_normal(kv_->weight, std::pow(fan_in, -0.5), generator);
    positions_->init_weights(generator);
  }

 private:
  // Gathers the window of each block: [N, H, W, heads * d] -> [N * blocks *
  // heads, window^2, d].
  at::Tensor windows(const at::Tensor& x) const {
    const std::int64_t window = block_ + 2 * halo_;
    const std::int64_t width = heads_.key + heads_.value;
    return at::constant_pad_nd(x, {0, 0, halo_, halo_, halo_, halo_})
        .unfold(1, window, block_)
        .unfold(2, window, block_) // [N, down, across, heads * d, y, x]
        .unflatten(3, {heads_.count, width})
        .permute({0, 1, 2, 3, 5, 6, 4})
        .reshape({-1, window * window, width});
  }

  Heads heads_;
  std::int64_t block_;
  std::int64_t halo_;
  bool pool_; // downsample by pooling instead of strided queries
  std::int64_t stride_; // stride of the queries
  std::shared_ptr<Conv2d> q_;
  std::shared_ptr<Conv2d> kv_;
  std::shared_ptr<RelativePositions> positions_;
};

} // namespace

std::shared_ptr<PixelAttention> make_pixel_attention(
    const ByobBlocks& block,
    std::int64_t channels,
    std::int64_t stride,
    const ImageSize& size,
    const at::Generator& generator) {
  std::shared_ptr<PixelAttention> attention;
  if (block.block > 0) {
    attention =
        std::make_shared<HaloAttention>(block, channels, stride, generator);
  } else {
    attention = std::make_shared<GlobalAttention>(
        block, channels, stride, size, generator);
  }
  // Timm's constructor samples the weights, too, before the block samples them
  // again.
  attention->init_weights(generator);
  return attention;
}

} // namespace vitrain::networks
