#pragma once

#include <cstdint>
#include <functional>

#include <ATen/core/Tensor.h>

#include "models/families/spec.h"

// Attention with a relative position bias over windows of a grid of tokens (Liu
// et al., "Swin transformer: hierarchical vision transformer using shifted
// windows", ICCV 2021). Sizes are in tokens.
namespace vitrain::networks {

// Returns softmax(q k^T + bias + mask) v, without a factor for q k^T, with
// concatenated heads: [W, T, heads * d]. q, k, v: [W, heads, T, d]; bias:
// [heads, T, T]; mask: [windows, 1, T, T] where W is a multiple of `windows`,
// or undefined.
at::Tensor biased_attention(
    const at::Tensor& query,
    const at::Tensor& key,
    const at::Tensor& value,
    const at::Tensor& bias,
    const at::Tensor& mask = {});

// Returns the index of each token pair's relative position among the (2 height
// - 1) x (2 width - 1) possible ones: [T, T] int64.
at::Tensor relative_positions(const ImageSize& window);

// Gathers the rows of `table` [distances, heads] at `positions` [T, T] as the
// bias of biased_attention(). Both tensors are on one device.
at::Tensor bias_of_pairs(const at::Tensor& table, const at::Tensor& positions);

// Partition of a grid into the windows of a Swin block. A shifted block rolls
// the grid by `shift` first. As in timm, a dimension that fits into one window
// is neither split nor shifted.
struct Windows {
  ImageSize grid;
  ImageSize window;
  ImageSize shift; // 0: none

  // `tokens`: the grid; `size`: the window, which is clipped to the grid.
  Windows(const ImageSize& tokens, const ImageSize& size, bool shifted);

  bool shifted() const { return shift.height > 0 || shift.width > 0; }
  // Returns the grid size padded to whole windows.
  ImageSize padded() const;

  // Returns the attention mask [windows, 1, T, T] (0 or -100), which separates
  // tokens that share a window only because the grid was rolled; undefined
  // without shift.
  at::Tensor mask() const;

  // Rolls x [N, H, W, C] by `shift`, pads it with zeros to padded(), splits it
  // into windows [N * windows, T, C], applies `attend`, which keeps that shape,
  // and undoes these steps.
  at::Tensor over(
      const at::Tensor& x,
      const std::function<at::Tensor(const at::Tensor&)>& attend) const;
};

// Concatenates the channels of 2 x 2 neighbours, zero-padded at odd sides: [N,
// H, W, C] -> [N, ceil(H / 2), ceil(W / 2), 4 C].
at::Tensor neighbours(const at::Tensor& x);

} // namespace vitrain::networks
