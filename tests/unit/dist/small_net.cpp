#include "small_net.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <torch/nn/functional/loss.h>

namespace vitrain::dist {

SmallNet::SmallNet(at::ScalarType dtype)
    : conv_(register_module(
          "conv",
          torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 4, 3)))),
      norm_(register_module(
          "norm",
          torch::nn::LayerNorm(torch::nn::LayerNormOptions({144})))),
      hidden_(register_module("hidden", torch::nn::Linear(144, 4))),
      head_(register_module("head", torch::nn::Linear(4, 5))) {
  const at::NoGradGuard no_grad;
  // A generator of its own: the global one is shared by all threads.
  const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(3);
  for (at::Tensor& parameter : parameters()) {
    parameter.uniform_(-0.5, 0.5, generator);
  }
  to(dtype);
}

at::Tensor SmallNet::forward(const at::Tensor& images) {
  const at::Tensor features = at::gelu(conv_(images)).flatten(1);
  return head_(at::gelu(hidden_(norm_(features))));
}

Batch Batch::part(std::int64_t begin, std::int64_t count) const {
  return {images.narrow(0, begin, count), labels.narrow(0, begin, count)};
}

Batch make_batch(std::int64_t size, std::uint64_t seed) {
  const at::Generator generator =
      at::make_generator<at::CPUGeneratorImpl>(seed);
  return {
      at::randn({size, 3, 8, 8}, generator),
      at::randint(0, 5, {size}, generator, at::kLong)};
}

at::Tensor loss_of(SmallNet& net, const Batch& batch, std::int64_t samples) {
  const at::Tensor loss = at::cross_entropy_loss(
      net.forward(batch.images), batch.labels, {}, at::Reduction::Sum);
  return loss * (1.0 / static_cast<double>(samples));
}

Gradients gradients_of(const torch::nn::Module& module) {
  Gradients gradients;
  for (const at::Tensor& parameter : module.parameters()) {
    gradients.push_back(
        parameter.grad().defined() ? parameter.grad().clone()
                                   : at::zeros_like(parameter));
  }
  return gradients;
}

Gradients exact_gradients(const Batch& batch) {
  SmallNet net(at::kDouble);
  loss_of(net, {batch.images.to(at::kDouble), batch.labels}, batch.size())
      .backward();
  return gradients_of(net);
}

std::vector<GradientBuffer> flatten_gradients(
    torch::nn::Module& module,
    const std::vector<std::size_t>& split) {
  auto named = module.named_parameters().pairs();
  std::vector<GradientBuffer> buffers;
  for (const std::size_t wanted : split) {
    GradientBuffer buffer;
    std::int64_t size = 0;
    while (!named.empty() && (wanted == 0 || buffer.slots.size() < wanted)) {
      buffer.slots.push_back({named.back().first, named.back().second, size});
      size += named.back().second.numel() + 1;
      named.pop_back();
    }
    buffer.gradients = at::zeros({size});
    for (GradientSlot& slot : buffer.slots) {
      slot.parameter.mutable_grad() =
          buffer.gradients.narrow(0, slot.offset, slot.parameter.numel())
              .view(slot.parameter.sizes());
    }
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

void zero(const std::vector<GradientBuffer>& buffers) {
  for (const GradientBuffer& buffer : buffers) {
    buffer.gradients.zero_();
  }
}

} // namespace vitrain::dist
