#include <functional>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "networks/layers/layers.h"

namespace vitrain::networks {
namespace {

struct Result {
  at::Tensor output;
  std::vector<at::Tensor> gradients; // of query, key, value
};

using Attend = std::function<
    at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&)>;

at::Tensor
fused(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  return at::scaled_dot_product_attention(query, key, value);
}

// Attention and the gradients of a weighted sum of its output, in `dtype`.
Result run(
    const Attend& attend,
    const std::vector<at::Tensor>& inputs,
    at::ScalarType dtype) {
  std::vector<at::Tensor> leaves;
  for (const at::Tensor& input : inputs) {
    leaves.push_back(input.to(dtype).detach().requires_grad_());
  }
  Result result;
  result.output = attend(leaves[0], leaves[1], leaves[2]);
  const at::Tensor weights = at::arange(result.output.numel(), at::kDouble)
                                 .sin()
                                 .view(result.output.sizes())
                                 .to(dtype);
  result.gradients = torch::autograd::grad(
      {result.output}, leaves, /*grad_outputs=*/{weights});
  return result;
}

double worst(const at::Tensor& value, const at::Tensor& exact) {
  const at::Tensor difference = value.to(at::kDouble) - exact;
  return (difference.abs().max() / exact.abs().max()).item<double>();
}

// bf16 on a CPU takes another path than everything else. Beside the roundings
// of the fused kernel it rounds the scores and their gradients (as attention
// written with matrix products does under autocast): three roundings where the
// kernel has one.
constexpr double kRoundings = 3.0;

TEST(Attention, InBf16ErrsLittleMoreThanTheFusedKernel) {
  struct Shape {
    std::int64_t images, heads, queries, keys, width;
  };
  for (const Shape& s :
       {Shape{3, 2, 65, 65, 16},
        {2, 3, 1, 65, 64}, // the class token alone
        {1, 1, 1, 1, 8},
        {5, 7, 17, 33, 24}}) {
    std::vector<at::Tensor> inputs;
    std::int64_t seed = 1;
    for (const std::int64_t length : {s.queries, s.keys, s.keys}) {
      const at::Tensor phase =
          at::arange(s.images * s.heads * length * s.width, at::kDouble);
      inputs.push_back(
          ((phase * 0.37 * static_cast<double>(seed++)).sin() * 1.5)
              .to(at::kBFloat16)
              .view({s.images, s.heads, length, s.width}));
    }
    const Result exact = run(fused, inputs, at::kDouble);
    const Result theirs = run(fused, inputs, at::kBFloat16);
    const Result ours = run(attention, inputs, at::kBFloat16);
    EXPECT_EQ(ours.output.scalar_type(), at::kBFloat16);
    EXPECT_LE(
        worst(ours.output, exact.output),
        kRoundings * worst(theirs.output, exact.output));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (s.keys == 1 && i < 2) {
        // One key has weight 1 whatever query and key are.
        EXPECT_EQ(ours.gradients[i].abs().max().item<float>(), 0.0F);
        continue;
      }
      EXPECT_LE(
          worst(ours.gradients[i], exact.gradients[i]),
          kRoundings * worst(theirs.gradients[i], exact.gradients[i]))
          << "input " << i << " of " << s.queries << " x " << s.keys;
    }
  }
}

} // namespace
} // namespace vitrain::networks
