// The generated shapes must not be learnable without looking at their form:
// what configs/shapes_vit_tiny.yaml reaches would mean little otherwise.

#include <gtest/gtest.h>

#include <ATen/ATen.h>
#include <torch/nn/functional.h>
#include <torch/optim/adam.h>

#include "data/kinds/datasets.h"
#include "data/sources/index.h"

namespace vitrain::engine {
namespace {

struct Pixels {
  at::Tensor images; // [N, 3072], standardised
  at::Tensor labels; // [N]
};

Pixels pixels_of(std::int64_t count, std::int64_t seed) {
  const auto index = std::make_shared<const data::Index>(data::list(
      {.kind = data::SourceKind::kShapes,
       .count = count,
       .size = 32,
       .seed = seed}));
  const auto source = data::open(index);
  Pixels pixels{at::empty({count, 32 * 32 * 3}), at::empty({count}, at::kLong)};
  for (std::int64_t i = 0; i < count; ++i) {
    image::Image image = source->load(i);
    pixels.images[i].copy_(
        at::from_blob(image.pixels.data(), {32 * 32 * 3}, at::kByte));
    pixels.labels[i] = source->label(i);
  }
  pixels.images = (pixels.images - 127.5) / 64;
  return pixels;
}

// Percent of `pixels` that the linear map gets right.
double accuracy(
    const Pixels& pixels,
    const at::Tensor& weight,
    const at::Tensor& bias) {
  return 100 *
      at::linear(pixels.images, weight, bias)
          .argmax(1)
          .eq(pixels.labels)
          .to(at::kDouble)
          .mean()
          .item<double>();
}

TEST(Shapes, ALinearClassifierStaysBelowHalf) {
  const Pixels train = pixels_of(10000, 0);
  const Pixels eval = pixels_of(2000, 1);
  at::manual_seed(0);
  at::Tensor weight = at::zeros({10, 3072}).requires_grad_();
  at::Tensor bias = at::zeros({10}).requires_grad_();
  torch::optim::Adam optimizer({weight, bias}, 1e-3);
  double best = 0;
  double last_loss = 0;
  // Until the training loss no longer falls: the training set is fitted far
  // beyond what carries over, so the best epoch is counted.
  for (int epoch = 0; epoch < 60; ++epoch) {
    const at::Tensor order = at::randperm(10000);
    double sum = 0;
    for (std::int64_t at = 0; at < 10000; at += 500) {
      const at::Tensor rows = order.narrow(0, at, 500);
      optimizer.zero_grad();
      const at::Tensor loss = at::cross_entropy_loss(
          at::linear(train.images.index_select(0, rows), weight, bias),
          train.labels.index_select(0, rows));
      loss.backward();
      optimizer.step();
      sum += loss.item<double>() / 20;
    }
    last_loss = sum;
    best = std::max(best, accuracy(eval, weight.detach(), bias.detach()));
  }
  EXPECT_LE(best, 50.0);
  // It did learn what there is to learn from single pixels.
  EXPECT_LT(last_loss, 2.2);
  EXPECT_GT(accuracy(train, weight.detach(), bias.detach()), 15.0);
}

} // namespace
} // namespace vitrain::engine
