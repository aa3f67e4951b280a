#include "models/families/levit.h"

#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/TensorIndexing.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/image_model.h"
#include "networks/layers/blocks.h"
#include "networks/layers/init.h"
#include "networks/layers/layers.h"
#include "networks/layers/norm_relu.h"
#include "networks/networks.h"

// Activations are images [N, C, H, W] in channels_last: linear layers use the
// same memory as [N, H, W, C], and BatchNorm uses the fused kernel of the
// convolutional networks.
namespace vitrain::networks {
namespace {

constexpr double kLevitInitStd = 0.02;
constexpr std::int64_t kLevitMlpRatio = 2;
// Value width of a head as a multiple of its key width; in blocks that
// downsample, kLevitDownValueRatio.
constexpr std::int64_t kLevitValueRatio = 2;
constexpr std::int64_t kLevitDownValueRatio = 4;

Activation levit_activation(const models::LevitSpec& net) {
  return net.silu ? Activation::kSilu : Activation::kHardSwish;
}

// A linear layer "linear" without bias, followed by a BatchNorm "bn" whose
// initial weight is `scale`.
class LevitLinear : public torch::nn::Module {
 public:
  LevitLinear(
      std::int64_t in,
      std::int64_t out,
      const models::LevitSpec& net,
      const at::Generator& generator,
      double scale = 1.0) {
    if (net.conv) {
      const Conv2d::Shape shape{.in = in, .out = out};
      conv_ = add_layer<Conv2d>(*this, "linear", shape, generator);
    } else {
      linear_ = add_layer<Linear>(*this, "linear", in, out, generator, false);
    }
    bn_ = add_layer<BatchNorm2d>(*this, "bn", out);
    constant(bn_->weight, scale);
  }

  // [N, in, H, W] -> [N, out, H, W]
  at::Tensor operator()(const at::Tensor& x) const {
    const at::Tensor pixels = x.permute({0, 2, 3, 1});
    const at::Tensor y = conv_ ? conv_->pointwise(pixels) : (*linear_)(pixels);
    return norm_only(*bn_, y.permute({0, 3, 1, 2}));
  }

 private:
  std::shared_ptr<Conv2d> conv_; // null if linear_ is used
  std::shared_ptr<Linear> linear_;
  std::shared_ptr<BatchNorm2d> bn_;
};

// Convolutions of stride 2, each with twice the width of the previous one.
class LevitStem : public torch::nn::Module {
 public:
  LevitStem(
      std::int64_t channels,
      const models::LevitSpec& net,
      const at::Generator& generator)
      : activation_(levit_activation(net)) {
    std::int64_t in = channels;
    for (std::int64_t left = net.stem_stride / 2; left > 0; left /= 2) {
      const std::int64_t out = net.widths[0] / left;
      const auto layer = add_layer<torch::nn::Module>(
          *this, "conv" + std::to_string(convs_.size() + 1));
      const auto shape = padded_shape(in, out, /*kernel=*/3, /*stride=*/2);
      convs_.push_back(add_layer<Conv2d>(*layer, "linear", shape, generator));
      convs_.back()->use_channels_last();
      norms_.push_back(add_layer<BatchNorm2d>(*layer, "bn", out));
      in = out;
    }
  }

  at::Tensor operator()(at::Tensor x) const {
    for (std::size_t i = 0; i < convs_.size(); ++i) {
      x = i > 0 ? activate(x, activation_) : x;
      x = norm_only(*norms_[i], (*convs_[i])(x));
    }
    return x;
  }

 private:
  Activation activation_;
  std::vector<std::shared_ptr<Conv2d>> convs_;
  std::vector<std::shared_ptr<BatchNorm2d>> norms_;
};

// Returns the column in the table of biases for each query (every `stride`-th
// row and column of the grid) and each key: [queries * keys] int64. The bias
// depends on the vertical and horizontal distance, not on the direction.
at::Tensor levit_offsets(const ImageSize& grid, std::int64_t stride) {
  std::vector<std::int64_t> columns;
  for (std::int64_t row = 0; row < grid.height; row += stride) {
    for (std::int64_t column = 0; column < grid.width; column += stride) {
      for (std::int64_t key = 0; key < grid.area(); ++key) {
        columns.push_back(
            std::abs(row - key / grid.width) * grid.width +
            std::abs(column - key % grid.width));
      }
    }
  }
  return at::tensor(columns, at::kLong);
}

// Attention over all pixels of a grid. With a stride of 2, queries are only the
// pixels of every second row and column.
class LevitAttention : public torch::nn::Module {
 public:
  struct Shape {
    std::int64_t in = 0;
    std::int64_t out = 0;
    std::int64_t heads = 0;
    std::int64_t value_ratio = 0;
    ImageSize grid;
    std::int64_t stride = 1;
  };

  LevitAttention(
      const Shape& shape,
      const models::LevitSpec& net,
      const at::Generator& generator)
      : heads_(shape.heads),
        key_(net.key_width),
        value_(shape.value_ratio * net.key_width),
        stride_(shape.stride),
        activation_(levit_activation(net)),
        offsets_(levit_offsets(shape.grid, shape.stride)) {
    if (stride_ == 1) {
      qkv_ = add_layer<LevitLinear>(
          *this, "qkv", shape.in, heads_ * (2 * key_ + value_), net, generator);
    } else {
      qkv_ = add_layer<LevitLinear>(
          *this, "kv", shape.in, heads_ * (key_ + value_), net, generator);
      const auto query = add_layer<torch::nn::Module>(*this, "q");
      q_ = add_layer<LevitLinear>(
          *query, "ln", shape.in, heads_ * key_, net, generator);
    }
    const auto proj = add_layer<torch::nn::Module>(*this, "proj");
    proj_ = add_layer<LevitLinear>(
        *proj,
        "ln",
        heads_ * value_,
        shape.out,
        net,
        generator,
        /*scale=*/stride_ == 1 ? 0.0 : 1.0);
    biases_ = add_constant(
        *this, "attention_biases", {heads_, shape.grid.area()}, 0.0, generator);
  }

  // [N, in, H, W] -> [N, out, ceil(H / stride), ceil(W / stride)]
  at::Tensor operator()(const at::Tensor& x) {
    const at::Tensor from = stride_ == 1 ? x : every_second(x);
    std::vector<at::Tensor> parts;
    if (stride_ == 1) {
      parts = by_head((*qkv_)(x)).split_with_sizes({key_, key_, value_}, -1);
    } else {
      parts = by_head((*qkv_)(x)).split_with_sizes({key_, value_}, -1);
      parts.insert(parts.begin(), by_head((*q_)(from)));
    }
    const double scale = 1.0 / std::sqrt(static_cast<double>(key_));
    const at::Tensor scores =
        at::matmul(parts[0] * scale, parts[1].transpose(-2, -1)) +
        bias(parts[0].size(2), parts[1].size(2));
    const at::Tensor weights =
        at::softmax(scores, -1).to(parts[2].scalar_type());
    const at::Tensor seen =
        at::matmul(weights, parts[2])
            .transpose(1, 2)
            .reshape({x.size(0), from.size(2), from.size(3), heads_ * value_});
    return (*proj_)(activate(seen.permute({0, 3, 1, 2}), activation_));
  }

 private:
  static at::Tensor every_second(const at::Tensor& x) {
    return x.slice(2, {}, {}, 2)
        .slice(3, {}, {}, 2)
        .contiguous(at::MemoryFormat::ChannelsLast);
  }

  // [N, heads * D, H, W] -> [N, heads, H W, D]
  at::Tensor by_head(const at::Tensor& x) const {
    return x.permute({0, 2, 3, 1})
        .reshape({x.size(0), x.size(2) * x.size(3), heads_, -1})
        .transpose(1, 2);
  }

  // Returns the attention bias [heads, queries, keys].
  at::Tensor bias(std::int64_t queries, std::int64_t keys) {
    offsets_ = offsets_.to(biases_.device());
    return biases_.index({at::indexing::Slice(), offsets_})
        .view({heads_, queries, keys});
  }

  std::int64_t heads_;
  std::int64_t key_; // widths of a head's key, and of its value
  std::int64_t value_;
  std::int64_t stride_;
  Activation activation_;
  at::Tensor offsets_; // [queries * keys]
  at::Tensor biases_; // [heads, keys]
  std::shared_ptr<LevitLinear> qkv_; // at stride 2 only keys and values
  std::shared_ptr<LevitLinear> q_;
  std::shared_ptr<LevitLinear> proj_;
};

class LevitMlp : public torch::nn::Module {
 public:
  LevitMlp(
      std::int64_t width,
      const models::LevitSpec& net,
      const at::Generator& generator)
      : activation_(levit_activation(net)) {
    const std::int64_t hidden = kLevitMlpRatio * width;
    ln1_ = add_layer<LevitLinear>(*this, "ln1", width, hidden, net, generator);
    ln2_ = add_layer<LevitLinear>(
        *this, "ln2", hidden, width, net, generator, /*scale=*/0.0);
  }

  at::Tensor operator()(const at::Tensor& x) const {
    return (*ln2_)(activate((*ln1_)(x), activation_));
  }

 private:
  Activation activation_;
  std::shared_ptr<LevitLinear> ln1_;
  std::shared_ptr<LevitLinear> ln2_;
};

// Attention and MLP. A block that reduces the image size has no residual
// connection around its attention.
class LevitBlock : public torch::nn::Module {
 public:
  LevitBlock(
      const LevitAttention::Shape& shape,
      const models::LevitSpec& net,
      double rate,
      DropPaths& paths,
      const at::Generator& generator)
      : smaller_(shape.stride > 1) {
    attn_ = add_layer<LevitAttention>(
        *this, smaller_ ? "attn_downsample" : "attn", shape, net, generator);
    mlp_ = add_layer<LevitMlp>(*this, "mlp", shape.out, net, generator);
    attn_row_ = smaller_ ? 0 : paths.add(rate);
    mlp_row_ = paths.add(rate);
  }

  at::Tensor forward(const at::Tensor& x, const at::Tensor& drop) const {
    at::Tensor y = (*attn_)(x);
    y = smaller_ ? y : add_branch(x, y, drop, attn_row_);
    return add_branch(y, (*mlp_)(y), drop, mlp_row_);
  }

 private:
  bool smaller_;
  std::int64_t attn_row_; // row of drop factors; unused if smaller_
  std::int64_t mlp_row_;
  std::shared_ptr<LevitAttention> attn_;
  std::shared_ptr<LevitMlp> mlp_;
};

// Classifier head with a norm first: features [N, C] -> [N, classes].
class LevitHead : public torch::nn::Module {
 public:
  LevitHead(
      std::int64_t width,
      std::int64_t classes,
      const at::Generator& generator) {
    bn_ = add_layer<BatchNorm2d>(*this, "bn", width);
    linear_ = add_layer<Linear>(*this, "linear", width, classes, generator);
    truncated_normal(linear_->weight, kLevitInitStd, generator);
    constant(linear_->bias, 0.0);
  }

  at::Tensor operator()(const at::Tensor& x) const {
    return (*linear_)((*bn_)(x));
  }

 private:
  std::shared_ptr<BatchNorm2d> bn_;
  std::shared_ptr<Linear> linear_;
};

class Levit : public ImageModel {
 public:
  Levit(const models::ModelSpec& spec, const at::Generator& generator)
      : ImageModel(spec) {
    const auto& net = spec.get<models::LevitSpec>();
    stem_ = add_layer<LevitStem>(*this, "stem", spec.channels, net, generator);
    ImageSize grid(
        spec.image_size.height / net.stem_stride,
        spec.image_size.width / net.stem_stride);
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "stages");
    for (std::size_t stage = 0; stage < net.widths.size(); ++stage) {
      grid = add_stage(
          *append_layer<torch::nn::Module>(*list), stage, grid, generator);
    }
    const std::int64_t width = net.widths.back();
    head_ =
        add_layer<LevitHead>(*this, "head", width, spec.num_classes, generator);
    if (net.distilled) {
      head_dist_ = add_layer<LevitHead>(
          *this, "head_dist", width, spec.num_classes, generator);
    }
  }

  at::Tensor logits(const at::Tensor& images, const at::Tensor& drop) override {
    at::Tensor x = (*stem_)(images.contiguous(at::MemoryFormat::ChannelsLast));
    for (const auto& block : blocks_) {
      x = block->forward(x, drop);
    }
    x = x.permute({0, 2, 3, 1}).flatten(1, 2).mean(1);
    const at::Tensor classes = (*head_)(x);
    return head_dist_
        ? of_two_heads(spec_, is_training(), classes, (*head_dist_)(x))
        : classes;
  }

 private:
  // Adds a stage for input images of size `grid`; returns the size of its
  // output.
  ImageSize add_stage(
      torch::nn::Module& module,
      std::size_t stage,
      ImageSize grid,
      const at::Generator& generator) {
    const auto& net = spec_.get<models::LevitSpec>();
    const std::int64_t width = net.widths[stage];
    const auto add = [&](torch::nn::Module& parent,
                         const std::string& name,
                         const LevitAttention::Shape& shape) {
      blocks_.push_back(add_layer<LevitBlock>(
          parent, name, shape, net, spec_.drop_path, paths_, generator));
    };
    if (stage > 0) {
      const std::int64_t in = net.widths[stage - 1];
      add(module,
          "downsample",
          {.in = in,
           .out = width,
           .heads = in / net.key_width,
           .value_ratio = kLevitDownValueRatio,
           .grid = grid,
           .stride = 2});
      grid = ImageSize((grid.height + 1) / 2, (grid.width + 1) / 2);
    }
    const auto blocks = add_layer<torch::nn::Module>(module, "blocks");
    for (std::int64_t i = 0; i < net.depths[stage]; ++i) {
      add(*blocks,
          std::to_string(i),
          {.in = width,
           .out = width,
           .heads = net.heads[stage],
           .value_ratio = kLevitValueRatio,
           .grid = grid});
    }
    return grid;
  }

  std::shared_ptr<LevitStem> stem_;
  std::vector<std::shared_ptr<LevitBlock>> blocks_;
  std::shared_ptr<LevitHead> head_;
  std::shared_ptr<LevitHead> head_dist_; // null if not distilled
};

} // namespace

const MakeNetwork make_levit = construct<Levit>;

} // namespace vitrain::networks
