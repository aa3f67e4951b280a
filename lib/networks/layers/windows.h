#pragma once

#include <cstdint>
#include <functional>

#include <ATen/core/Tensor.h>

#include "models/spec.h"

// Attention with a bias for relative positions, over windows of a grid of
// tokens (Liu et al., "Swin transformer: hierarchical vision transformer using
// shifted windows", ICCV 2021). Sizes are in tokens.
namespace vitrain::networks {

// softmax(q k^T + bias + mask) v, its heads one after the other: [W, T, heads *
// d]. q, k, v: [W, heads, T, d]; bias: [heads, T, T]; mask: [windows, 1, T, T]
// for W being a multiple of `windows`, or undefined.
at::Tensor biased_attention(
    const at::Tensor& query,
    const at::Tensor& key,
    const at::Tensor& value,
    const at::Tensor& bias,
    const at::Tensor& mask = {});

// The distance of each pair of tokens of a window, as its number among the
// (2 height - 1) x (2 width - 1) that there are: [T, T] int64.
at::Tensor relative_positions(const ImageSize& window);

// The rows of `table` [distances, heads] that `positions` [T, T] name, as
// biased_attention() takes them. Both are on one device.
at::Tensor bias_of_pairs(const at::Tensor& table, const at::Tensor& positions);

// Where a block looks: windows on a grid whose first `shift` rows and columns
// stand behind the others. As timm, each dimension for itself: what fits into
// one window is not cut, and not moved.
struct Windows {
  ImageSize grid;
  ImageSize window;
  ImageSize shift; // 0: none

  Windows(const ImageSize& tokens, const ImageSize& size, bool shifted);

  bool shifted() const { return shift.height > 0 || shift.width > 0; }
  // The grid with what fills its last windows.
  ImageSize padded() const;

  // What keeps tokens apart that stand in one window only because the grid was
  // moved around its edges: [windows, 1, T, T], or undefined.
  at::Tensor mask() const;

  // `attend` ([N * windows, T, C] to itself) within the windows of x [N, H, W,
  // C].
  at::Tensor over(
      const at::Tensor& x,
      const std::function<at::Tensor(const at::Tensor&)>& attend) const;
};

// Four neighbours side by side, zeros where there is none: [N, H, W, C] to [N,
// ceil(H / 2), ceil(W / 2), 4 C].
at::Tensor neighbours(const at::Tensor& x);

} // namespace vitrain::networks
