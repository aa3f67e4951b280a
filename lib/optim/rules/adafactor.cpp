#include <algorithm>
#include <numeric>
#include <optional>

#include <ATen/ATen.h>

#include "core/check.h"
#include "optim/rules/factored_pass.h"
#include "optim/rules/update_rules.h"

namespace vitrain::optim {
namespace {

// Indices of the two longest dimensions of a shape: `rows` is the longest one,
// `columns` the second.
struct RowsAndColumns {
  std::int64_t columns = 0;
  std::int64_t rows = 0;
};

// Returns the dimensions over which the second moments of a parameter are
// factored; nullopt if fewer than two of its dimensions have 16 elements or
// more.
std::optional<RowsAndColumns> factors_of(at::IntArrayRef shape) {
  constexpr std::int64_t kLeast = 16;
  if (shape.size() < 2) {
    return std::nullopt;
  }
  std::vector<std::int64_t> order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::int64_t dimension) {
    return shape[static_cast<std::size_t>(dimension)];
  });
  const RowsAndColumns longest{
      .columns = order[order.size() - 2], .rows = order.back()};
  return shape[static_cast<std::size_t>(longest.columns)] >= kLeast
      ? std::optional(longest)
      : std::nullopt;
}

constexpr double kSmall = 1e-30; // added to squared gradients

// Returns `shape` with size 1 in `dimension`.
std::vector<std::int64_t> without(
    at::IntArrayRef shape,
    std::int64_t dimension) {
  std::vector<std::int64_t> result = shape.vec();
  result[static_cast<std::size_t>(dimension)] = 1;
  return result;
}

// Adafactor (Shazeer, Stern, ICML 2018) in the variant of Zhai et al., "Scaling
// vision transformers", CVPR 2022 (big_vision), as timm computes it with
// momentum in fp32.
class Adafactor final : public Optimizer {
 public:
  Adafactor(FlatState& parameters, const config::OptimConfig& options)
      : Optimizer(parameters),
        cautious_(options.cautious),
        momentum_(options.numbers().momentum),
        mean_(momentum_ > 0.0 ? &add_buffers("exp_avg") : nullptr),
        rows_(add_tensors(
            "exp_avg_sq_r",
            [](const Segment& one) { return shape_of(one, Part::kRows); })),
        columns_(add_tensors(
            "exp_avg_sq_c",
            [](const Segment& one) { return shape_of(one, Part::kColumns); })),
        squares_(add_tensors("exp_avg_sq", [](const Segment& one) {
          return shape_of(one, Part::kWhole);
        })) {
    VITRAIN_CHECK(
        parameters.share().count == 1,
        ExitCode::kInternal,
        "adafactor's state cannot be shared");
  }

 private:
  enum class Part { kRows, kColumns, kWhole };

  static std::optional<Shape> shape_of(const Segment& segment, Part part) {
    const std::optional<RowsAndColumns> factors = factors_of(segment.shape);
    if (part == Part::kWhole) {
      return factors ? std::nullopt : std::optional(segment.shape);
    }
    if (!factors) {
      return std::nullopt;
    }
    return without(
        segment.shape, part == Part::kRows ? factors->rows : factors->columns);
  }

  void update(std::size_t index, const Rate& rate) override {
    FlatGroup& group = parameters_.groups()[index];
    // Weight of the new squares (1 - beta2), which falls with the number of
    // updates.
    const at::Tensor fresh =
        at::pow(rate.count.to(at::kDouble).clamp_min(1.0), -0.8)
            .clamp_min(1e-3);
    for (std::size_t i = 0; i < group.segments.size(); ++i) {
      const Segment& segment = group.segments[i];
      if (in_passes(segment)) {
        update_in_passes(index, i, fresh.to(at::kFloat), rate);
        continue;
      }
      const at::Tensor gradient = segment.in(group.gradients);
      at::Tensor step = scaled(index, i, gradient, fresh.to(at::kFloat), rate);
      if (mean_ != nullptr) {
        const at::Tensor mean = segment.in((*mean_)[index]);
        blend(mean, step, 1.0 - momentum_, rate);
        step = mean;
      }
      if (cautious_) {
        const at::Tensor agrees = (step * gradient).gt(0).to(at::kFloat);
        step = step * agrees / agrees.mean().clamp_min(1e-3);
      }
      move(
          segment.in(group.parameters),
          1.0 - rate.lr * group.weight_decay,
          step,
          rate.lr,
          rate);
    }
  }

  // Returns true if factored_pass.h can make the update.
  bool in_passes(const Segment& segment) const {
    const std::optional<RowsAndColumns> factors = factors_of(segment.shape);
    return factors && !cautious_ &&
        std::max(factors->rows, factors->columns) == 1 &&
        parameters_.groups().front().parameters.is_cpu();
  }

  void update_in_passes(
      std::size_t index,
      std::size_t i,
      const at::Tensor& fresh,
      const Rate& rate) {
    const FlatGroup& group = parameters_.groups()[index];
    const Segment& segment = group.segments[i];
    const at::Tensor gradient = segment.in(group.gradients);
    const RowsAndColumns factors = *factors_of(segment.shape);
    const MeanSquares means = mean_squares(gradient, kSmall);
    const at::Tensor& rows = rows_[index][i];
    const at::Tensor& columns = columns_[index][i];
    // True: `rows` is averaged over dimension 0 and indexed by dimension 1.
    const bool turned = factors.rows == 0;
    blend(rows, turned ? means.over_first : means.over_second, fresh, rate);
    blend(columns, turned ? means.over_second : means.over_first, fresh, rate);
    const at::Tensor by_row = root_of_rows(rows, factors.columns);
    const at::Tensor by_column = columns.rsqrt();
    make_step(
        {.gradient = gradient,
         .by_first = turned ? by_column : by_row,
         .by_second = turned ? by_row : by_column,
         .mean = mean_ ? segment.in((*mean_)[index]) : at::Tensor(),
         .share = static_cast<float>(1.0 - momentum_),
         .weights = segment.in(group.parameters),
         .keep = static_cast<float>(1.0 - rate.lr * group.weight_decay),
         .size = static_cast<float>(rate.lr)});
  }

  // Updates the second moment of parameter `i` of group `index` and returns the
  // gradient divided by its root. `fresh`: weight of the new gradient's square.
  at::Tensor scaled(
      std::size_t index,
      std::size_t i,
      const at::Tensor& gradient,
      const at::Tensor& fresh,
      const Rate& rate) {
    const at::Tensor square = gradient.square().add_(kSmall);
    if (const at::Tensor& whole = squares_[index][i]; whole.defined()) {
      blend(whole, square, fresh, rate);
      return gradient * whole.rsqrt();
    }
    const at::Tensor& rows = rows_[index][i];
    const at::Tensor& columns = columns_[index][i];
    const RowsAndColumns factors = *factors_of(gradient.sizes());
    blend(rows, square.mean(factors.rows, /*keepdim=*/true), fresh, rate);
    blend(columns, square.mean(factors.columns, /*keepdim=*/true), fresh, rate);
    return (gradient * root_of_rows(rows, factors.columns))
        .mul_(columns.rsqrt());
  }

  static at::Tensor root_of_rows(const at::Tensor& rows, std::int64_t columns) {
    return (rows / rows.mean(columns, /*keepdim=*/true)).rsqrt_();
  }

  bool cautious_;
  double momentum_;
  Buffers* mean_;
  std::vector<Buffers>& rows_;
  std::vector<Buffers>& columns_;
  std::vector<Buffers>& squares_;
};

} // namespace

const MakeOptimizer make_adafactor = construct<Adafactor>;

} // namespace vitrain::optim
