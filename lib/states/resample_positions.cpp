#include "states/resample_positions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <ATen/ATen.h>

namespace vitrain::states {
namespace {

using Layout = weights::Positions::Layout;

// Returns positions 0, +-1, +-(1 + q), +-(1 + q + q^2), ..., sorted, with q
// such that `from` of them span as much as `to` integer positions (BEiT's
// authors, as in timm/layers/pos_embed_rel.py).
std::vector<double> geometric_distances(std::int64_t from, std::int64_t to) {
  double low = 1.01;
  double high = 1.5;
  double q = low;
  while (high - low > 1e-6) {
    q = (low + high) / 2.0;
    const double reach =
        (1.0 - std::pow(q, static_cast<double>(from / 2))) / (1.0 - q);
    (reach > static_cast<double>(to / 2) ? high : low) = q;
  }
  std::vector<double> distances(static_cast<std::size_t>(from / 2) * 2 + 1);
  const auto middle = distances.begin() + from / 2;
  double distance = 1.0;
  for (std::int64_t i = 0; i < from / 2; ++i) {
    *(middle + 1 + i) = distance;
    *(middle - 1 - i) = -distance;
    distance += std::pow(q, static_cast<double>(i + 1));
  }
  return distances;
}

// Returns interpolation weights [to, from] from values at these positions to
// values at integer positions: linear between the two nearest, constant beyond
// the last.
at::Tensor linear_weights(std::int64_t from, std::int64_t to) {
  const std::vector<double> at = geometric_distances(from, to);
  at::Tensor weights = at::zeros({to, from}, at::kFloat);
  auto rows = weights.accessor<float, 2>();
  for (std::int64_t i = 0; i < to; ++i) {
    const auto wanted = static_cast<double>(i - to / 2);
    const auto next = std::ranges::lower_bound(at, wanted) - at.begin();
    const std::int64_t right = std::min<std::int64_t>(next, from - 1);
    const std::int64_t left = std::max<std::int64_t>(right - 1, 0);
    const double before =
        std::max(0.0, wanted - at[static_cast<std::size_t>(left)]);
    const double behind =
        std::max(0.0, at[static_cast<std::size_t>(right)] - wanted);
    const double sum = before + behind;
    rows[i][left] += static_cast<float>(sum > 0.0 ? behind / sum : 0.5);
    rows[i][right] += static_cast<float>(sum > 0.0 ? before / sum : 0.5);
  }
  return weights;
}

// Resizes [1, C, H, W] to another height and width.
at::Tensor resized(
    const at::Tensor& grid,
    const ImageSize& to,
    Resampling resampling,
    bool table) {
  const std::array<std::int64_t, 2> size{to.height, to.width};
  switch (resampling) {
    case Resampling::kTimm:
      if (table) {
        return linear_weights(grid.size(2), to.height)
            .matmul(grid)
            .matmul(linear_weights(grid.size(3), to.width).t());
      }
      return at::_upsample_bicubic2d_aa(grid, size, /*align_corners=*/false);
    case Resampling::kDeit:
    case Resampling::kPaddleVit:
      return at::upsample_bicubic2d(grid, size, /*align_corners=*/false);
    case Resampling::kTimmNpz:
      return at::upsample_bilinear2d(grid, size, /*align_corners=*/false);
    case Resampling::kBigVision: // scipy computes in double precision
      return at::upsample_bilinear2d(
                 grid.to(at::kDouble), size, /*align_corners=*/true)
          .to(at::kFloat);
  }
  return grid;
}

} // namespace

at::Tensor resample(
    const at::Tensor& values,
    const weights::Positions& positions,
    Resampling resampling) {
  const auto& [layout, extra, from, to] = positions;
  const at::Tensor given = values.to(at::kFloat);
  if (layout == Layout::kChannelsFirst) {
    return resized(given, to, resampling, /*table=*/false);
  }
  if (layout == Layout::kChannelsLast) {
    return resized(given.permute({0, 3, 1, 2}), to, resampling, /*table=*/false)
        .permute({0, 2, 3, 1});
  }
  // Extra rows [R, C] come first; in a table, last.
  const bool table = layout == Layout::kTable;
  const at::Tensor rows = table ? given : given.squeeze(0);
  const std::int64_t places = from.area();
  const at::Tensor apart = rows.narrow(0, table ? places : 0, extra);
  const at::Tensor grid = rows.narrow(0, table ? 0 : extra, places)
                              .reshape({1, from.height, from.width, -1})
                              .permute({0, 3, 1, 2});
  const at::Tensor moved = resized(grid, to, resampling, table)
                               .permute({0, 2, 3, 1})
                               .reshape({to.area(), -1});
  return table ? at::cat({moved, apart}) : at::cat({apart, moved}).unsqueeze(0);
}

} // namespace vitrain::states
