#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>

#include "optim/element_optimizer.h"
#include "optim/rules/adamw_rule.h"
#include "optim/rules/update_rules.h"

namespace vitrain::optim {
namespace {

// Coefficients of the polynomials of the five iterations, as in timm.
constexpr double kCoefficients[][3] = {
    {4.0848, -6.8946, 2.9270},
    {3.9505, -6.3029, 2.6377},
    {3.7418, -5.5913, 2.3037},
    {2.8769, -3.1427, 1.2046},
    {2.8366, -3.0525, 1.2012},
};

bool in_fp32_on_cpu(const at::Tensor& matrix) {
  return matrix.is_cpu() && matrix.scalar_type() == at::kFloat;
}

// Returns the symmetric product a b, [m, m]. For large m in fp32 on a CPU,
// blocks of rows above the diagonal are computed, blocks below are copied: with
// n blocks this takes (n + 1) / 2n of the operations.
at::Tensor symmetric_product(const at::Tensor& a, const at::Tensor& b) {
  // Smallest block in rows: for smaller blocks, slower products outweigh the
  // saved operations (measured).
  constexpr std::int64_t kLeast = 512;
  const std::int64_t m = a.size(0);
  if (m < kLeast || !in_fp32_on_cpu(a)) {
    return at::mm(a, b);
  }
  const std::int64_t blocks = m < 2 * kLeast ? 2 : 4;
  at::Tensor result = at::empty({m, m}, a.options());
  const std::int64_t rows = (m + blocks - 1) / blocks;
  for (std::int64_t i = 0; i < m; i += rows) {
    const std::int64_t size = std::min(rows, m - i);
    const std::int64_t rest = m - i - size;
    at::Tensor right = result.narrow(0, i, size).narrow(1, i, size + rest);
    at::mm_out(right, a.narrow(0, i, size), b.narrow(1, i, size + rest));
    result.narrow(0, i + size, rest)
        .narrow(1, i, size)
        .copy_(right.narrow(1, size, rest).t());
  }
  return result;
}

// Returns b s + c s^2 of a symmetric matrix s.
at::Tensor second_order(const at::Tensor& s, double b, double c) {
  return in_fp32_on_cpu(s)
      ? symmetric_product(s, s).mul_(c).add_(s, /*alpha=*/b)
      : at::addmm(s, s, s, b, c);
}

// Computes the iterations of iterated() for x with many more columns than rows.
// Each iteration multiplies x by a polynomial of x x^T, and the next x x^T can
// be computed from the last one. So the polynomials, small matrices, are
// multiplied with each other, and x only once.
at::Tensor iterated_by_gram(const at::Tensor& x) {
  at::Tensor gram = symmetric_product(x, x.t());
  at::Tensor product;
  for (std::size_t i = 0; i < std::size(kCoefficients); ++i) {
    const auto& [a, b, c] = kCoefficients[i];
    at::Tensor factor = second_order(gram, b, c);
    factor.diagonal().add_(a);
    product = i > 0 ? symmetric_product(factor, product) : factor;
    if (i + 1 < std::size(kCoefficients)) {
      gram = symmetric_product(factor, symmetric_product(factor, gram));
    }
  }
  return at::mm(product, x);
}

at::Tensor iterated(at::Tensor x) {
  for (const auto& [a, b, c] : kCoefficients) {
    const at::Tensor square = symmetric_product(x, x.t());
    x = at::addmm(x, second_order(square, b, c), x, a);
  }
  return x;
}

// Returns an approximation of the orthogonal matrix nearest to `matrix` ([m,
// n], in its dtype) by Newton-Schulz iterations: polynomials that bring all
// singular values near 1.
at::Tensor orthogonal(const at::Tensor& matrix, double eps) {
  const bool tall = matrix.size(0) > matrix.size(1);
  at::Tensor x = tall ? matrix.t() : matrix;
  x = (x / at::linalg_matrix_norm(x).clamp_min(eps)).contiguous();
  // Five iterations on [m, n] take 20 m^2 n + 10 m^3 operations; by
  // iterated_by_gram() they take 4 m^2 n + 34 m^3, fewer with symmetric
  // products. Only in fp32: bf16 would lose the small values of x x^T.
  const bool by_gram = in_fp32_on_cpu(x) && 8 * x.size(1) > 15 * x.size(0);
  x = by_gram ? iterated_by_gram(x) : iterated(x);
  return tall ? x.t() : x;
}

// Muon (Jordan et al., "Muon: an optimizer for hidden layers in neural
// networks", 2024) with the step size of Liu et al., "Muon is scalable for LLM
// training", 2025 (matched to AdamW), as timm computes it. Parameters that
// is_matrix() rejects are updated by AdamW, or by NAdamW with `nesterov`.
class Muon final : public Optimizer {
 public:
  Muon(FlatState& parameters, const config::OptimConfig& options)
      : Optimizer(parameters),
        options_(options),
        numbers_(options.numbers()),
        momentum_(add_buffers("momentum_buffer", 0.0, is_of_matrices)),
        first_(add_buffers("exp_avg", 0.0, is_of_others)),
        second_(add_buffers("exp_avg_sq", 0.0, is_of_others)) {}

  void multiply_in(at::ScalarType type) override { products_ = type; }

 private:
  static bool is_of_others(const FlatGroup& group) { return group.fallback; }
  static bool is_of_matrices(const FlatGroup& group) { return !group.fallback; }

  void update(std::size_t index, const Rate& rate) override {
    const FlatGroup& group = parameters_.groups()[index];
    if (group.fallback) {
      update_others(index, rate);
      return;
    }
    const at::Tensor gradients = own(group, group.gradients);
    const at::Tensor momentum = own_state(group, momentum_[index]);
    blend(momentum, gradients, 1.0 - numbers_.momentum, rate);
    const at::Tensor direction = options_.nesterov
        ? gradients.lerp(momentum, numbers_.momentum)
        : momentum;
    for (const Segment* segment : own_segments(group)) {
      update_matrix(group, *segment, direction, rate);
    }
  }

  void update_matrix(
      const FlatGroup& group,
      const Segment& segment,
      const at::Tensor& direction,
      const Rate& rate) {
    // `direction` holds this worker's share only, so offsets are relative to
    // own_begin.
    Segment there = segment;
    there.offset -= group.own_begin;
    const at::Tensor matrix =
        there.in(direction).reshape({segment.shape.front(), -1});
    // 16 bits are enough, as in timm.
    const at::ScalarType type = matrix.is_cpu() ? products_ : at::kBFloat16;
    const at::Tensor result = orthogonal(matrix.to(type), numbers_.eps)
                                  .to(at::kFloat)
                                  .reshape(segment.shape);
    const auto largest = std::max(matrix.size(0), matrix.size(1));
    const double size = 0.2 * std::sqrt(static_cast<double>(largest));
    move(
        segment.in(group.parameters),
        1.0 - rate.lr * group.weight_decay,
        result,
        rate.lr * size,
        rate);
  }

  void update_others(std::size_t index, const Rate& rate) {
    const FlatGroup& group = parameters_.groups()[index];
    const Elements<2> elements{
        .weights = own(group, group.parameters),
        .gradients = own(group, group.gradients),
        .state = {
            own_state(group, first_[index]), own_state(group, second_[index])}};
    const RuleOptions options = rule_options(options_, group);
    if (options.nesterov) {
      apply_rule<AdamWRule<true>>(elements, options, rate);
    } else {
      apply_rule<AdamWRule<false>>(elements, options, rate);
    }
  }

  config::OptimConfig options_;
  config::OptimNumbers numbers_;
  at::ScalarType products_ = at::kFloat; // dtype of matrix products on a CPU
  Buffers& momentum_;
  Buffers& first_;
  Buffers& second_;
};

} // namespace

const MakeOptimizer make_muon = construct<Muon>;

} // namespace vitrain::optim
