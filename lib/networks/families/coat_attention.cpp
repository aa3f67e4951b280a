#include "networks/families/coat_attention.h"

#include <array>
#include <cmath>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "networks/layers/blocks.h"

namespace vitrain::networks {
namespace {

constexpr std::int64_t kCoatHeads = 8;

// Window side of the relative position encoding and the number of heads that
// use it.
struct HeadWindow {
  std::int64_t side;
  std::int64_t heads;
};
constexpr std::array<HeadWindow, 3> kHeadWindows{{{3, 2}, {5, 3}, {7, 3}}};

} // namespace

at::Tensor image_of(const at::Tensor& tokens, const ImageSize& grid) {
  return tokens.slice(1, 1).reshape(
      {tokens.size(0), grid.height, grid.width, tokens.size(2)});
}

at::Tensor with_class(const at::Tensor& tokens, const at::Tensor& image) {
  return at::cat({tokens.slice(1, 0, 1), image.flatten(1, 2)}, 1);
}

CoatPosition::CoatPosition(std::int64_t width, const at::Generator& generator) {
  proj_ =
      add_layer<Conv2d>(*this, "proj", depthwise_shape(width, 3), generator);
}

at::Tensor CoatPosition::operator()(
    const at::Tensor& tokens,
    const ImageSize& grid) const {
  const at::Tensor image = image_of(tokens, grid);
  return with_class(tokens, image + proj_->over_pixels(image));
}

CoatRelativePosition::CoatRelativePosition(
    std::int64_t width,
    const at::Generator& generator) {
  const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "conv_list");
  for (const auto& [side, heads] : kHeadWindows) {
    widths_.push_back(heads * (width / kCoatHeads));
    convs_.push_back(append_layer<Conv2d>(
        *list, depthwise_shape(widths_.back(), side), generator));
  }
}

at::Tensor CoatRelativePosition::operator()(const at::Tensor& values) const {
  const auto parts = values.split_with_sizes(widths_, 3);
  std::vector<at::Tensor> seen;
  for (std::size_t i = 0; i < convs_.size(); ++i) {
    seen.push_back(convs_[i]->over_pixels(parts[i].contiguous()));
  }
  return at::cat(seen, 3);
}

FactorAttention::FactorAttention(
    const CoatScale& scale,
    const at::Generator& generator)
    : grid_(scale.grid), relative_(scale.relative) {
  const std::int64_t width = scale.width;
  qkv_ = add_layer<Linear>(*this, "qkv", width, 3 * width, generator);
  proj_ = add_layer<Linear>(*this, "proj", width, width, generator);
}

at::Tensor FactorAttention::operator()(const at::Tensor& x) const {
  const at::Tensor qkv = (*qkv_)(x);
  const auto parts = qkv.chunk(3, -1);
  const auto by_head = split_parts(qkv, 3, kCoatHeads);
  const double scale = 1.0 / std::sqrt(static_cast<double>(by_head[0].size(3)));
  const at::Tensor keys =
      at::softmax(by_head[1], 2).to(by_head[2].scalar_type());
  const at::Tensor summary =
      at::matmul(keys.transpose(-2, -1), by_head[2]) * scale;
  const at::Tensor seen =
      at::matmul(by_head[0], summary).transpose(1, 2).reshape(x.sizes());
  // The class token has no position in the image: its encoding is zero.
  const at::Tensor around = at::constant_pad_nd(
      parts[0].slice(1, 1) *
          (*relative_)(image_of(parts[2], grid_)).flatten(1, 2),
      {0, 0, 1, 0});
  return (*proj_)(seen + around);
}

} // namespace vitrain::networks
