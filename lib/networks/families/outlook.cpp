#include "networks/families/outlook.h"

#include <cmath>
#include <vector>

#include <ATen/ATen.h>

namespace vitrain::networks {
namespace {

// Side and area of a window.
constexpr std::int64_t kOutlookSide = 3;
constexpr std::int64_t kOutlookArea = kOutlookSide * kOutlookSide;

// Shifts x by one along dimension `dim`, towards its end if `by` is 1, towards
// its beginning if `by` is -1, and fills with zeros.
at::Tensor
moved_by_one(const at::Tensor& x, std::int64_t dim, std::int64_t by) {
  const std::int64_t size = x.size(dim);
  std::vector<std::int64_t> padding(
      static_cast<std::size_t>(2 * (x.dim() - dim)), 0);
  padding[padding.size() - (by > 0 ? 2 : 1)] = 1;
  const at::Tensor kept =
      by > 0 ? x.slice(dim, 0, size - 1) : x.slice(dim, 1, size);
  return at::constant_pad_nd(kept, padding);
}

// Splits dimension `dim` of size S into windows [ceil(S / 2), 3]. Window r has
// pixels 2 r - 1, 2 r and 2 r + 1; pixels outside are zero.
at::Tensor windows_along(at::Tensor x, std::int64_t dim) {
  if (x.size(dim) % 2 > 0) {
    std::vector<std::int64_t> padding(
        static_cast<std::size_t>(2 * (x.dim() - dim)), 0);
    padding.back() = 1;
    x = at::constant_pad_nd(x, padding);
  }
  const at::Tensor middle = x.slice(dim, 0, {}, 2);
  const at::Tensor last = x.slice(dim, 1, {}, 2);
  return at::stack({moved_by_one(last, dim, 1), middle, last}, dim + 1);
}

// Transpose of windows_along(): sums windows [ceil(size / 2), 3] at `dim` back
// into `size` pixels.
at::Tensor
sum_of_windows(const at::Tensor& x, std::int64_t dim, std::int64_t size) {
  const auto parts = x.unbind(dim + 1);
  const at::Tensor odd = parts[2] + moved_by_one(parts[0], dim, -1);
  return at::stack({parts[1], odd}, dim + 1)
      .flatten(dim, dim + 1)
      .slice(dim, 0, size);
}

} // namespace

OutlookAttention::OutlookAttention(
    std::int64_t width,
    std::int64_t heads,
    const at::Generator& generator)
    : heads_(heads) {
  v_ = add_layer<Linear>(*this, "v", width, width, generator, false);
  attn_ = add_layer<Linear>(
      *this, "attn", width, kOutlookArea * kOutlookArea * heads, generator);
  proj_ = add_layer<Linear>(*this, "proj", width, width, generator);
}

at::Tensor OutlookAttention::operator()(const at::Tensor& x) const {
  const std::int64_t width = x.size(3);
  // [N, h, 3, w, 3, C] -> [N, h, w, heads, 9, C / heads]
  const at::Tensor value = windows_along(windows_along((*v_)(x), 1), 3);
  const std::int64_t rows = value.size(1);
  const std::int64_t columns = value.size(3);
  const at::Tensor by_head =
      value
          .view(
              {-1,
               rows,
               kOutlookSide,
               columns,
               kOutlookSide,
               heads_,
               width / heads_})
          .permute({0, 1, 3, 5, 2, 4, 6})
          .reshape({-1, rows, columns, heads_, kOutlookArea, width / heads_});
  const at::Tensor seen =
      at::matmul(weights(x).to(by_head.scalar_type()), by_head)
          .view(
              {-1,
               rows,
               columns,
               heads_,
               kOutlookSide,
               kOutlookSide,
               width / heads_})
          .permute({0, 1, 4, 2, 5, 3, 6})
          .flatten(5);
  return (*proj_)(
      sum_of_windows(sum_of_windows(seen, 3, x.size(2)), 1, x.size(1)));
}

at::Tensor OutlookAttention::weights(const at::Tensor& x) const {
  const at::Tensor means = at::avg_pool2d(
                               x.permute({0, 3, 1, 2}),
                               /*kernel_size=*/2,
                               /*stride=*/2,
                               /*padding=*/0,
                               /*ceil_mode=*/true)
                               .permute({0, 2, 3, 1});
  const double scale = 1.0 / std::sqrt(static_cast<double>(x.size(3) / heads_));
  const at::Tensor scores = (*attn_)(means).view(
      {-1, means.size(1), means.size(2), heads_, kOutlookArea, kOutlookArea});
  return at::softmax(scores * scale, -1);
}

} // namespace vitrain::networks
