#include "networks/families/byob_blocks.h"

#include <ATen/ATen.h>

#include "networks/families/byob_attention.h"
#include "networks/layers/init.h"

namespace vitrain::networks {
namespace {

using models::ByobBlocks;
using models::ByobSpec;

// Residual block: a 1x1 convolution, a middle layer, a 1x1 convolution, and a
// skip connection. If the shape changes, the skip connection is the layer
// "shortcut" or, without net.project, absent.
class ResidualByob : public ByobBlock {
 public:
  ResidualByob(
      const ByobSpec& net,
      const ByobBlocks& block,
      const ByobPlace& place,
      DropPaths& paths,
      const at::Generator& generator)
      : activation_(byob_activation(net)),
        linear_(block.linear),
        row_(paths.add(place.drop_rate)) {
    const std::int64_t out = models::multiple_of_8(block.width);
    const double base = block.inverted ? static_cast<double>(place.in)
                                       : static_cast<double>(out);
    middle_ = models::multiple_of_8(base * block.ratio);
    around_ = place.in == out && place.stride == 1;
    if (!around_ && net.project) {
      around_ = true;
      shortcut_ = add_layer<ByobConv>(
          *this,
          "shortcut",
          padded_shape(place.in, out, 1, place.stride),
          std::nullopt,
          generator);
    }
    conv1_ = add_layer<ByobConv>(
        *this,
        "conv1_1x1",
        padded_shape(place.in, middle_),
        activation_,
        generator);
  }

  Fork forward(const Fork& x, const at::Tensor& drop) override {
    const at::Tensor y = between((*conv1_)(x.trunk).trunk);
    if (around_ && !drop.defined()) {
      return (*conv3_)(y, shortcut_ ? shortcut_->normed(x.branch) : x.branch);
    }
    at::Tensor z = conv3_->normed(y);
    if (around_) {
      z = add_branch(
          shortcut_ ? shortcut_->normed(x.branch) : x.branch, z, drop, row_);
    } else if (drop.defined()) { // timm: a dropped block outputs zeros
      z = z * drop.select(0, row_).view({-1, 1, 1, 1}).to(z.scalar_type());
    }
    z = linear_ ? z : activate(z, activation_);
    return {z, z};
  }

  void init_weights(const at::Generator& /*generator*/) override {
    if (around_) {
      constant(conv3_->norm().weight, 0.0);
    }
  }

 protected:
  // Middle layer: [N, middle, H, W] -> [N, middle, H / stride, W / stride].
  virtual at::Tensor between(const at::Tensor& x) = 0;

  // Registers the last convolution. Called after the middle layer is
  // registered.
  void close(const ByobBlocks& block, const at::Generator& generator) {
    conv3_ = add_layer<ByobConv>(
        *this,
        "conv3_1x1",
        padded_shape(middle_, models::multiple_of_8(block.width)),
        linear_ ? std::nullopt : std::optional(activation_),
        generator);
  }

  std::int64_t middle() const { return middle_; }
  Activation activation() const { return activation_; }

 private:
  Activation activation_;
  bool linear_;
  std::int64_t row_; // row of drop factors
  std::int64_t middle_ = 0;
  bool around_ = false;
  std::shared_ptr<ByobConv> shortcut_;
  std::shared_ptr<ByobConv> conv1_;
  std::shared_ptr<ByobConv> conv3_;
};

class BottleneckByob : public ResidualByob {
 public:
  BottleneckByob(
      const ByobSpec& net,
      const ByobBlocks& block,
      const ByobPlace& place,
      DropPaths& paths,
      const at::Generator& generator)
      : ResidualByob(net, block, place, paths, generator) {
    const std::int64_t groups = block.group > 0 ? middle() / block.group : 1;
    conv2_ = add_layer<ByobConv>(
        *this,
        "conv2_kxk",
        padded_shape(middle(), middle(), 3, place.stride, groups),
        activation(),
        generator);
    gate_ = add_byob_gate(*this, net, block, middle(), generator);
    close(block, generator);
  }

 private:
  at::Tensor between(const at::Tensor& x) override {
    const at::Tensor y = (*conv2_)(x).trunk;
    return gate_ ? (*gate_)(y) : y;
  }

  std::shared_ptr<ByobConv> conv2_;
  std::shared_ptr<ChannelGate> gate_;
};

class AttentionByob : public ResidualByob {
 public:
  AttentionByob(
      const ByobSpec& net,
      const ByobBlocks& block,
      const ByobPlace& place,
      DropPaths& paths,
      const at::Generator& generator)
      : ResidualByob(net, block, place, paths, generator),
        attention_(register_module(
            "self_attn",
            make_pixel_attention(
                block,
                middle(),
                place.stride,
                place.size,
                generator))),
        norm_(add_layer<BatchNorm2d>(*this, "post_attn", middle())) {
    close(block, generator);
  }

  void init_weights(const at::Generator& generator) override {
    ResidualByob::init_weights(generator);
    attention_->init_weights(generator);
  }

 private:
  at::Tensor between(const at::Tensor& x) override {
    return byob_norm(*norm_, (*attention_)(x), activation()).trunk;
  }

  std::shared_ptr<PixelAttention> attention_;
  std::shared_ptr<BatchNorm2d> norm_;
};

} // namespace

Activation byob_activation(const ByobSpec& net) {
  return net.silu ? Activation::kSilu : Activation::kRelu;
}

Fork byob_norm(
    BatchNorm2d& norm,
    const at::Tensor& x,
    std::optional<Activation> activation,
    const at::Tensor& residual) {
  if (activation == Activation::kRelu) {
    return norm_relu(norm, x, residual);
  }
  at::Tensor y = norm_only(norm, x);
  y = residual.defined() ? add_branch(residual, y, {}, 0) : y;
  y = activation ? activate(y, *activation) : y;
  return {y, y};
}

ByobConv::ByobConv(
    const Conv2d::Shape& shape,
    std::optional<Activation> activation,
    const at::Generator& generator)
    : activation_(activation) {
  conv_ = add_layer<Conv2d>(*this, "conv", shape, generator);
  norm_ = add_layer<BatchNorm2d>(*this, "bn", shape.out);
}

Fork ByobConv::operator()(const at::Tensor& x, const at::Tensor& residual)
    const {
  return byob_norm(*norm_, (*conv_)(x), activation_, residual);
}

at::Tensor ByobConv::normed(const at::Tensor& x) const {
  return norm_only(*norm_, (*conv_)(x));
}

std::shared_ptr<ChannelGate> add_byob_gate(
    torch::nn::Module& owner,
    const ByobSpec& net,
    const ByobBlocks& block,
    std::int64_t channels,
    const at::Generator& generator) {
  switch (block.gate) {
    case ByobBlocks::Gate::kNone:
      return nullptr;
    case ByobBlocks::Gate::kSqueeze:
      return add_layer<SqueezeExcite>(
          owner,
          "attn",
          channels,
          models::multiple_of_8(
              static_cast<double>(channels) * net.squeeze, 0.0),
          Nonlinearity::kRelu,
          generator,
          "fc1",
          "fc2");
    case ByobBlocks::Gate::kEca:
      return add_layer<EcaGate>(owner, "attn", channels, generator);
  }
  return nullptr;
}

std::shared_ptr<ByobBlock> make_byob_block(
    const ByobSpec& net,
    const ByobBlocks& block,
    const ByobPlace& place,
    DropPaths& paths,
    const at::Generator& generator) {
  switch (block.kind) {
    case ByobBlocks::Kind::kBottleneck:
      return std::make_shared<BottleneckByob>(
          net, block, place, paths, generator);
    case ByobBlocks::Kind::kSelfAttention:
      return std::make_shared<AttentionByob>(
          net, block, place, paths, generator);
    case ByobBlocks::Kind::kMobileOne:
      return make_mobileone_block(net, block, place, paths, generator);
    case ByobBlocks::Kind::kMobileVit:
    case ByobBlocks::Kind::kMobileVit2:
      return make_mobilevit_block(net, block, place, paths, generator);
  }
  return nullptr;
}

} // namespace vitrain::networks
