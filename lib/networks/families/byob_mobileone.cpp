#include <vector>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/families/byob_blocks.h"

namespace vitrain::networks {
namespace {

using models::ByobBlocks;
using models::ByobSpec;

// Parallel branches: convolutions with the same kernel size, a 1x1 convolution
// if that size is larger than 1, and a norm alone if the shape does not change.
// Their sum passes a gate and the nonlinearity.
class MobileOneByob : public ByobBlock {
 public:
  MobileOneByob(
      const ByobSpec& net,
      const ByobBlocks& block,
      const ByobPlace& place,
      DropPaths& paths,
      const at::Generator& generator)
      : activation_(byob_activation(net)),
        stride_(place.stride),
        groups_(block.group > 0 ? place.in / block.group : 1) {
    const std::int64_t out = models::multiple_of_8(block.width);
    if (place.in == out && place.stride == 1) {
      identity_ = add_layer<BatchNorm2d>(*this, "identity", out);
      unit_ = at::eye(out / groups_).unsqueeze(0);
      row_ = paths.add(place.drop_rate);
    }
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "conv_kxk");
    const auto shape = [&](std::int64_t kernel) {
      return padded_shape(place.in, out, kernel, place.stride, groups_);
    };
    for (std::int64_t i = 0; i < block.branches; ++i) {
      convs_.push_back(append_layer<ByobConv>(
          *list, shape(block.kernel), activation_, generator));
    }
    if (block.kernel > 1) {
      scale_ = add_layer<ByobConv>(
          *this, "conv_scale", shape(1), std::nullopt, generator);
    }
    gate_ = add_byob_gate(*this, net, block, out, generator);
  }

  Fork forward(const Fork& fork, const at::Tensor& drop) override {
    const at::Tensor& x = fork.trunk;
    if (!is_training() && !at::GradMode::is_enabled() && !x.is_meta()) {
      return finish(as_one_convolution(x));
    }
    at::Tensor sum;
    const auto add = [&](const at::Tensor& y) {
      sum = sum.defined() ? add_branch(sum, y, {}, 0) : y;
    };
    if (scale_) {
      add(scale_->normed(x));
    }
    for (std::size_t i = 0; i + 1 < convs_.size(); ++i) {
      add(convs_[i]->normed(x));
    }
    if (identity_ && drop.defined()) {
      add(convs_.back()->normed(x));
      return finish(add_branch(norm_only(*identity_, x), sum, drop, row_));
    }
    if (identity_) {
      add(norm_only(*identity_, x));
    }
    if (!gate_) {
      return (*convs_.back())(x, sum);
    }
    add(convs_.back()->normed(x));
    return finish(sum);
  }

 private:
  Fork finish(at::Tensor y) const {
    y = activate(gate_ ? (*gate_)(y) : y, activation_);
    return {y, y};
  }

  // Convolves x with all branches merged into one convolution, in evaluation
  // mode (section 3.2 of the paper).
  at::Tensor as_one_convolution(const at::Tensor& x) {
    // Each step makes a new tensor, because exports record the operations.
    at::Tensor weight = at::zeros_like(convs_.front()->conv().weight);
    at::Tensor bias = at::zeros_like(convs_.front()->norm().bias);
    const std::int64_t centre = weight.size(2) / 2;
    const auto slope = [&](const BatchNorm2d& norm) {
      const at::Tensor by =
          norm.weight / at::sqrt(norm.running_var + BatchNorm2d::kEps);
      bias = bias + (norm.bias - norm.running_mean * by);
      return by;
    };
    const auto add_in_the_middle = [&](const at::Tensor& kernel) {
      weight = weight +
          at::constant_pad_nd(
                   kernel.view({weight.size(0), weight.size(1), 1, 1}),
                   {centre, centre, centre, centre});
    };
    for (const auto& conv : convs_) {
      weight = weight +
          conv->conv().weight * slope(conv->norm()).view({-1, 1, 1, 1});
    }
    if (scale_) {
      add_in_the_middle(
          scale_->conv().weight.flatten(1) *
          slope(scale_->norm()).unsqueeze(1));
    }
    if (identity_) {
      unit_ = unit_.to(weight.options().requires_grad(false));
      add_in_the_middle(unit_ * slope(*identity_).view({groups_, -1, 1}));
    }
    return at::conv2d(
        x, weight, bias, stride_, centre, /*dilation=*/1, groups_);
  }

  Activation activation_;
  std::int64_t stride_;
  std::int64_t groups_;
  std::int64_t row_ = 0; // row of drop factors
  std::shared_ptr<BatchNorm2d> identity_;
  // Identity kernel of identity_: [1, out / groups, in / groups].
  at::Tensor unit_;
  std::vector<std::shared_ptr<ByobConv>> convs_;
  std::shared_ptr<ByobConv> scale_;
  std::shared_ptr<ChannelGate> gate_;
};

} // namespace

std::shared_ptr<ByobBlock> make_mobileone_block(
    const ByobSpec& net,
    const ByobBlocks& block,
    const ByobPlace& place,
    DropPaths& paths,
    const at::Generator& generator) {
  return std::make_shared<MobileOneByob>(net, block, place, paths, generator);
}

} // namespace vitrain::networks
