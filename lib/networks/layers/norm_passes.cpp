#include "networks/layers/norm_passes.h"

#include <algorithm>

#include <ATen/ATen.h>

#include "networks/layers/norm_kernels.h"
#include "threads/parallel_for.h"

namespace vitrain::networks {
namespace {

// Memory layout: `count` rows of `channels` values.
struct RowRange {
  std::int64_t count;
  std::int64_t channels;

  explicit RowRange(const at::Tensor& x)
      : count(x.numel() / x.size(1)), channels(x.size(1)) {}

  // Returns the number of rows per piece of work; a piece fits a core's cache.
  // Sums over pieces are added in order in fp64, so that they do not depend on
  // the number of threads and are accurate for many rows.
  std::int64_t piece() const {
    return std::max<std::int64_t>(16, 32768 / channels);
  }
  std::int64_t pieces() const { return (count + piece() - 1) / piece(); }

  // Calls body(index of the piece, its first row, its number of rows) for all
  // pieces, on several threads.
  template <typename Body>
  void for_each(const Body& body) const {
    threads::parallel_for(
        0,
        pieces(),
        /*grain_size=*/1,
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t first = i * piece();
            body(i, first, std::min(piece(), count - first));
          }
        });
  }
};

// Returns body<T>() for the kernels' type T of x's values.
template <typename Body>
auto with_type(const at::Tensor& x, const Body& body) {
  return x.scalar_type() == at::kFloat
      ? body.template operator()<float>()
      : body.template operator()<std::uint16_t>();
}

template <typename T>
T* data_of(const at::Tensor& x) {
  return x.defined() ? static_cast<T*>(x.data_ptr()) : nullptr;
}

const float* floats(const at::Tensor& x) {
  return x.const_data_ptr<float>();
}

// Computes the mean and biased variance of each channel. Combines pieces as
// Chan, Golub and LeVeque ("Updating formulae and a pairwise algorithm for
// computing sample variances", 1979).
template <typename T>
void take_moments(const at::Tensor& x, WideTable& mean, WideTable& variance) {
  const RowRange rows(x);
  const auto channels = static_cast<std::size_t>(rows.channels);
  const auto pieces = static_cast<std::size_t>(rows.pieces());
  std::vector<float> means(pieces * channels);
  std::vector<float> squares(pieces * channels);
  rows.for_each([&](std::int64_t i, std::int64_t first, std::int64_t count) {
    norm_kernels::statistics(
        data_of<const T>(x) + first * rows.channels,
        count,
        rows.channels,
        means.data() + i * rows.channels,
        squares.data() + i * rows.channels);
  });
  const auto size_of = [&](std::size_t piece) {
    const std::int64_t first = static_cast<std::int64_t>(piece) * rows.piece();
    return static_cast<double>(std::min(rows.piece(), rows.count - first));
  };
  const auto all = static_cast<double>(rows.count);
  for (std::size_t i = 0; i < pieces; ++i) {
    const double share = size_of(i) / all;
    for (std::size_t c = 0; c < channels; ++c) {
      mean[c] += share * means[i * channels + c];
    }
  }
  for (std::size_t i = 0; i < pieces; ++i) {
    for (std::size_t c = 0; c < channels; ++c) {
      const double distance = means[i * channels + c] - mean[c];
      variance[c] +=
          squares[i * channels + c] + size_of(i) * distance * distance;
    }
  }
  for (double& value : variance) {
    value /= all;
  }
}

template <typename T>
norm_kernels::Backward<T> kernel_pass(
    const BackwardPass& pass,
    std::int64_t at) {
  const auto from = [&](const at::Tensor& x) {
    return x.defined() ? data_of<T>(x) + at : nullptr;
  };
  return {
      .dy = from(pass.dy),
      .dy2 = from(pass.dy2),
      .x = from(pass.x),
      .y = from(pass.y),
      .g = from(pass.g),
      .mean = floats(pass.statistics.mean),
      .scale = pass.line.scale.data(),
      .shift = pass.line.shift.data(),
      .nonlinearity = pass.nonlinearity};
}

} // namespace

Moments moments_of(const at::Tensor& x) {
  const auto channels = static_cast<std::size_t>(x.size(1));
  Moments moments{RowRange(x).count, WideTable(channels), WideTable(channels)};
  with_type(x, [&]<typename T>() {
    take_moments<T>(x, moments.mean, moments.variance);
  });
  return moments;
}

Line::Line(
    const Statistics& statistics,
    const at::Tensor& weight,
    const at::Tensor& bias) {
  for (std::int64_t c = 0; c < weight.numel(); ++c) {
    scale.push_back(floats(weight)[c] * floats(statistics.inverse)[c]);
    shift.push_back(
        floats(bias)[c] - floats(statistics.mean)[c] * scale.back());
  }
}

at::Tensor apply_line(
    const Line& line,
    const at::Tensor& x,
    const at::Tensor& residual,
    Nonlinearity nonlinearity) {
  const at::Tensor y = at::empty_like(x, kChannelsLast);
  const RowRange rows(x);
  with_type(x, [&]<typename T>() {
    rows.for_each([&](std::int64_t, std::int64_t first, std::int64_t count) {
      const std::int64_t at = first * rows.channels;
      const norm_kernels::Forward<T> pass{
          .x = data_of<const T>(x) + at,
          .residual =
              residual.defined() ? data_of<const T>(residual) + at : nullptr,
          .y = data_of<T>(y) + at,
          .scale = line.scale.data(),
          .shift = line.shift.data(),
          .nonlinearity = nonlinearity};
      norm_kernels::normalize(pass, count, rows.channels);
    });
  });
  return y;
}

Sums take_sums(const BackwardPass& pass) {
  const RowRange rows(pass.x);
  const auto channels = static_cast<std::size_t>(rows.channels);
  const auto pieces = static_cast<std::size_t>(rows.pieces());
  std::vector<float> sums(pieces * channels);
  std::vector<float> dots(pieces * channels);
  with_type(pass.x, [&]<typename T>() {
    rows.for_each([&](std::int64_t i, std::int64_t first, std::int64_t count) {
      norm_kernels::sums(
          kernel_pass<T>(pass, first * rows.channels),
          count,
          rows.channels,
          sums.data() + i * rows.channels,
          dots.data() + i * rows.channels);
    });
  });
  Sums all{WideTable(channels), WideTable(channels)};
  for (std::size_t i = 0; i < pieces; ++i) {
    for (std::size_t c = 0; c < channels; ++c) {
      all.sum[c] += sums[i * channels + c];
      all.dot[c] += dots[i * channels + c];
    }
  }
  return all;
}

at::Tensor
input_gradient(const BackwardPass& pass, const Sums& sums, bool training) {
  const at::Tensor dx = at::empty_like(pass.x, kChannelsLast);
  const RowRange rows(pass.x);
  Table slopes(pass.line.scale.size());
  Table constants(pass.line.scale.size());
  if (training) {
    const auto count = static_cast<double>(rows.count);
    for (std::size_t c = 0; c < slopes.size(); ++c) {
      const double inverse = floats(pass.statistics.inverse)[c];
      const double scale = pass.line.scale[c];
      slopes[c] =
          static_cast<float>(-scale * inverse * inverse * sums.dot[c] / count);
      constants[c] = static_cast<float>(-scale * sums.sum[c] / count);
    }
  }
  with_type(pass.x, [&]<typename T>() {
    rows.for_each([&](std::int64_t, std::int64_t first, std::int64_t count) {
      const std::int64_t at = first * rows.channels;
      norm_kernels::gradient(
          kernel_pass<T>(pass, at),
          {.slope = slopes.data(), .constant = constants.data()},
          data_of<T>(dx) + at,
          count,
          rows.channels);
    });
  });
  return dx;
}

} // namespace vitrain::networks
