#include "networks/layers/windows.h"

#include <algorithm>
#include <array>

#include <ATen/ATen.h>

namespace vitrain::networks {
namespace {

// Added to the scores of token pairs that must not attend to each other.
constexpr double kMasked = -100.0;

// cut(): grids [N, H, W, C] -> [N * windows, T, C]. joined(): the reverse.
at::Tensor cut(const at::Tensor& x, const ImageSize& window) {
  const std::int64_t rows = x.size(1) / window.height;
  const std::int64_t columns = x.size(2) / window.width;
  return x.view({-1, rows, window.height, columns, window.width, x.size(3)})
      .permute({0, 1, 3, 2, 4, 5})
      .reshape({-1, window.area(), x.size(3)});
}

at::Tensor
joined(const at::Tensor& x, const ImageSize& window, const ImageSize& grid) {
  return x
      .view(
          {-1,
           grid.height / window.height,
           grid.width / window.width,
           window.height,
           window.width,
           x.size(2)})
      .permute({0, 1, 3, 2, 4, 5})
      .reshape({-1, grid.height, grid.width, x.size(2)});
}

// Rolls x by -`by` along this dimension, as at::roll, which has no meta kernel.
at::Tensor rolled(const at::Tensor& x, std::int64_t dim, std::int64_t by) {
  return by == 0 ? x : at::cat({x.slice(dim, by), x.slice(dim, 0, by)}, dim);
}

at::Tensor rolled(const at::Tensor& x, const ImageSize& by) {
  return rolled(rolled(x, 1, by.height), 2, by.width);
}

// Returns the borders of three regions along one side of the rolled grid: the
// windows before the last; the tokens that belonged to the last window before
// rolling; the tokens that wrapped around. Without shift the first two are
// empty and the third is the whole side.
std::array<std::int64_t, 4>
edges(std::int64_t side, std::int64_t window, std::int64_t shift) {
  return shift == 0
      ? std::array<std::int64_t, 4>{0, 0, 0, side}
      : std::array<std::int64_t, 4>{0, side - window, side - shift, side};
}

std::int64_t whole(std::int64_t side, std::int64_t window) {
  return (side + window - 1) / window * window;
}

} // namespace

at::Tensor biased_attention(
    const at::Tensor& query,
    const at::Tensor& key,
    const at::Tensor& value,
    const at::Tensor& bias,
    const at::Tensor& mask) {
  at::Tensor scores = at::matmul(query, key.transpose(-2, -1));
  if (mask.defined()) {
    const std::int64_t tokens = query.size(2);
    scores = (scores.view({-1, mask.size(0), query.size(1), tokens, tokens}) +
              (bias + mask.to(bias.scalar_type())))
                 .view(scores.sizes());
  } else {
    scores = scores + bias;
  }
  const at::Tensor weights = at::softmax(scores, -1).to(value.scalar_type());
  return at::matmul(weights, value).transpose(1, 2).flatten(2);
}

at::Tensor relative_positions(const ImageSize& window) {
  const std::int64_t area = window.area();
  const std::int64_t width = window.width;
  at::Tensor index = at::empty({area, area}, at::kLong);
  auto* out = index.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < area; ++i) {
    for (std::int64_t j = 0; j < area; ++j) {
      const std::int64_t down = i / width - j / width + window.height - 1;
      const std::int64_t right = i % width - j % width + width - 1;
      *out++ = down * (2 * width - 1) + right;
    }
  }
  return index;
}

at::Tensor bias_of_pairs(const at::Tensor& table, const at::Tensor& positions) {
  return table.index({positions.flatten()})
      .view({positions.size(0), positions.size(1), table.size(1)})
      .permute({2, 0, 1});
}

Windows::Windows(const ImageSize& tokens, const ImageSize& size, bool shifted)
    : grid(tokens),
      window(
          std::min(tokens.height, size.height),
          std::min(tokens.width, size.width)),
      shift(
          shifted && tokens.height > size.height ? size.height / 2 : 0,
          shifted && tokens.width > size.width ? size.width / 2 : 0) {}

ImageSize Windows::padded() const {
  return {whole(grid.height, window.height), whole(grid.width, window.width)};
}

at::Tensor Windows::mask() const {
  if (!shifted()) {
    return {};
  }
  const ImageSize all = padded();
  const at::Tensor region = at::zeros({1, all.height, all.width, 1});
  const auto rows = edges(all.height, window.height, shift.height);
  const auto columns = edges(all.width, window.width, shift.width);
  double number = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      region.slice(1, rows[i], rows[i + 1])
          .slice(2, columns[j], columns[j + 1])
          .fill_(number);
      number += 1.0;
    }
  }
  const at::Tensor of_token = cut(region, window).squeeze(-1);
  const at::Tensor apart = of_token.unsqueeze(1).ne(of_token.unsqueeze(2));
  return apart.to(at::kFloat).mul(kMasked).unsqueeze(1);
}

at::Tensor Windows::over(
    const at::Tensor& x,
    const std::function<at::Tensor(const at::Tensor&)>& attend) const {
  at::Tensor y = rolled(x, shift);
  const ImageSize all = padded();
  if (all != grid) {
    y = at::constant_pad_nd(
        y, {0, 0, 0, all.width - grid.width, 0, all.height - grid.height});
  }
  y = joined(attend(cut(y, window)), window, all);
  if (all != grid) {
    y = y.slice(1, 0, grid.height).slice(2, 0, grid.width);
  }
  const auto back = [](std::int64_t side, std::int64_t by) {
    return by == 0 ? 0 : side - by;
  };
  return rolled(
             y,
             {back(grid.height, shift.height), back(grid.width, shift.width)})
      .contiguous();
}

at::Tensor neighbours(const at::Tensor& x) {
  const std::int64_t rows = (x.size(1) + 1) / 2;
  const std::int64_t columns = (x.size(2) + 1) / 2;
  const at::Tensor even = x.size(1) % 2 + x.size(2) % 2 > 0
      ? at::constant_pad_nd(x, {0, 0, 0, x.size(2) % 2, 0, x.size(1) % 2})
      : x;
  return even.view({-1, rows, 2, columns, 2, x.size(3)})
      .permute({0, 1, 3, 4, 2, 5})
      .flatten(3);
}

} // namespace vitrain::networks
