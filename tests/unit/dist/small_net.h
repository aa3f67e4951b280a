#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include "dist/sync/gradient_sync.h"

namespace vitrain::dist {

// Convolution, LayerNorm and two linear layers: 8 parameters of 4 to 576
// values. Equal on every rank.
class SmallNet : public torch::nn::Module {
 public:
  explicit SmallNet(at::ScalarType dtype = at::kFloat);

  // images [N, 3, 8, 8] -> logits [N, 5]
  at::Tensor forward(const at::Tensor& images);

 private:
  torch::nn::Conv2d conv_;
  torch::nn::LayerNorm norm_;
  torch::nn::Linear hidden_;
  torch::nn::Linear head_;
};

struct Batch {
  at::Tensor images; // [N, 3, 8, 8] fp32
  at::Tensor labels; // [N]

  std::int64_t size() const { return labels.size(0); }
  // Samples [begin, begin + count).
  Batch part(std::int64_t begin, std::int64_t count) const;
};

// Returns `size` samples that depend on the seed only, equal on every rank.
Batch make_batch(std::int64_t size, std::uint64_t seed);

// Cross entropy summed over the batch, divided by `samples`.
at::Tensor loss_of(SmallNet& net, const Batch& batch, std::int64_t samples);

using Gradients = std::vector<at::Tensor>; // in order of definition

// Returns copies of the gradients; zeros for parameters without one.
Gradients gradients_of(const torch::nn::Module& module);

// Gradients of the mean loss over `batch`, without any exchange: fp64
// arithmetic from the fp32 weights and images.
Gradients exact_gradients(const Batch& batch);

// Makes the module's .grad views of one buffer per entry of `split` (how many
// parameters it takes, in reverse order of definition; 0: all that are left),
// with gaps of one element between parameters.
std::vector<GradientBuffer> flatten_gradients(
    torch::nn::Module& module,
    const std::vector<std::size_t>& split = {0});

void zero(const std::vector<GradientBuffer>& buffers);

} // namespace vitrain::dist
