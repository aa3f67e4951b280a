#include <algorithm>
#include <array>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "core/aligned.h"
#include "core/hash.h"
#include "dist/sync/bucket_exchange.h"

namespace vitrain::dist {
namespace {

using Shape = std::array<std::int64_t, 2>;

// Zero-initialised matrices that are sent in one buffer.
struct Matrices {
  at::Tensor buffer; // with alignment gaps
  std::vector<at::Tensor> views;

  Matrices() = default;
  Matrices(const std::vector<Shape>& shapes, const at::TensorOptions& options) {
    std::int64_t size = 0;
    for (const auto& [rows, columns] : shapes) {
      size += round_up(rows * columns, kAlignedFloats);
    }
    buffer = at::zeros({size}, options);
    std::int64_t offset = 0;
    for (const auto& [rows, columns] : shapes) {
      const std::int64_t numel = rows * columns;
      views.push_back(buffer.narrow(0, offset, numel).view({rows, columns}));
      offset += round_up(numel, kAlignedFloats);
    }
  }
};

// A gradient that is sent as a product of two matrices.
struct Matrix {
  std::string name;
  // View of the bucket, [rows, ...]. Keeps the parameter's strides; columns are
  // in logical order, so that the state in checkpoints does not depend on the
  // strides.
  at::Tensor gradient;
  // Compression error that has not been applied yet, scaled as the mean over
  // the ranks; during a step, error plus new gradient.
  at::Tensor error; // [rows, columns]
  at::Tensor left; // [rows, rank], P
  at::Tensor right; // [columns, rank], Q
};

// Orthonormalises the columns by modified Gram-Schmidt, twice, because after
// the first pass a linearly dependent column consists of rounding errors. Uses
// only elementwise kernels and sums, so that every rank gets the same bits.
// Zero columns stay zero.
void orthonormalize(at::Tensor matrix) {
  constexpr double kTiny = 1e-30;
  for (std::int64_t i = 0; i < matrix.size(1); ++i) {
    at::Tensor column = matrix.select(1, i);
    for (int pass = 0; pass < 2; ++pass) {
      if (i > 0) {
        const at::Tensor others = matrix.narrow(1, 0, i);
        const at::Tensor shares = (others * column.unsqueeze(1)).sum(0);
        column.sub_((others * shares).sum(1));
      }
      column.div_(column.square().sum().sqrt().clamp_min(kTiny));
    }
  }
}

class PowerSgd final : public BucketExchange {
 public:
  PowerSgd(
      at::Tensor gradients,
      const std::vector<BucketPart>& parts,
      const PowerSgdOptions& options)
      : gradients_(std::move(gradients)), options_(options) {
    for (const BucketPart& part : parts) {
      add(part);
    }
    allocate();
  }

  void begin(std::int64_t step) override {
    reset();
    step_ = step;
  }

  void launch(Group& group) override {
    compressing_ =
        step_ >= options_.start && group.size() > 1 && !matrices_.empty();
    if (!compressing_) {
      first_ = start(group, gradients_);
      return;
    }
    apart_ = true;
    const auto ranks = static_cast<double>(group.size());
    for (Matrix& matrix : matrices_) {
      if (!options_.warm_start) {
        draw(matrix);
      }
      matrix.error.view(matrix.gradient.sizes()).add_(matrix.gradient, ranks);
      at::mm_out(matrix.left, matrix.error, matrix.right);
    }
    first_ = start(group, lefts_.buffer);
    for (std::size_t i = 0; i < plain_.size(); ++i) {
      travelling_.views[i].view({-1}).copy_(plain_[i]);
    }
    if (!plain_.empty()) {
      plain_pending_ = start(group, travelling_.buffer);
    }
  }

  void advance(Group& group) override {
    if (!compressing_) {
      return;
    }
    first_.wait();
    for (Matrix& matrix : matrices_) {
      orthonormalize(matrix.left);
      at::mm_out(matrix.right, matrix.error.t(), matrix.left);
    }
    second_ = start(group, rights_.buffer);
  }

  void complete(Group& group) override {
    if (!compressing_) {
      first_.wait();
      completed();
      return;
    }
    second_.wait();
    rights_.buffer.div_(group.size());
    for (Matrix& matrix : matrices_) {
      const at::Tensor mean = at::mm(matrix.left, matrix.right.t());
      matrix.error.sub_(mean);
      matrix.gradient.copy_(mean.view(matrix.gradient.sizes()));
    }
    plain_pending_.wait();
    for (std::size_t i = 0; i < plain_.size(); ++i) {
      plain_[i].copy_(travelling_.views[i].view({-1}));
    }
    completed();
  }

  // Replaces the errors, which differ between ranks, by their mean: only the
  // mean is ever applied.
  void flush(Group& group) override {
    if (!apart_) {
      return;
    }
    apart_ = false;
    std::vector<Pending> pending;
    for (Matrix& matrix : matrices_) {
      pending.push_back(group.all_reduce_async(matrix.error));
    }
    for (std::size_t i = 0; i < matrices_.size(); ++i) {
      pending[i].wait();
      matrices_[i].error.div_(group.size());
    }
  }

  std::map<std::string, at::Tensor> state() const override {
    std::map<std::string, at::Tensor> state;
    for (const Matrix& matrix : matrices_) {
      state["sync.powersgd.error." + matrix.name] = matrix.error;
      state["sync.powersgd.right." + matrix.name] = matrix.right;
    }
    return state;
  }

 private:
  void add(const BucketPart& part) {
    const at::Tensor& gradient = part.gradient;
    if (gradient.dim() >= 2 && gradient.numel() > 0) {
      const std::int64_t rows = gradient.size(0);
      const std::int64_t columns = gradient.numel() / rows;
      const std::int64_t rank = std::min({options_.rank, rows, columns});
      const auto sent = static_cast<double>((rows + columns) * rank);
      if (sent * options_.min_compression <
          static_cast<double>(rows * columns)) {
        matrices_.push_back(
            {.name = part.name,
             .gradient = gradient,
             .error = at::zeros({rows, columns}, gradient.options()),
             .left = {},
             .right = {}});
        return;
      }
    }
    plain_.push_back(gradient.as_strided({gradient.numel()}, {1}));
  }

  std::int64_t rank_of(const Matrix& matrix) const {
    return std::min(
        {options_.rank, matrix.error.size(0), matrix.error.size(1)});
  }

  void allocate() {
    std::vector<Shape> lefts;
    std::vector<Shape> rights;
    std::vector<Shape> plain;
    for (const Matrix& matrix : matrices_) {
      lefts.push_back({matrix.error.size(0), rank_of(matrix)});
      rights.push_back({matrix.error.size(1), rank_of(matrix)});
    }
    for (const at::Tensor& gradient : plain_) {
      plain.push_back({1, gradient.numel()});
    }
    lefts_ = Matrices(lefts, gradients_.options());
    rights_ = Matrices(rights, gradients_.options());
    travelling_ = Matrices(plain, gradients_.options());
    for (std::size_t i = 0; i < matrices_.size(); ++i) {
      matrices_[i].left = lefts_.views[i];
      matrices_[i].right = rights_.views[i];
      draw(matrices_[i]);
    }
  }

  // Fills Q with random values that are the same on all ranks: seeded by the
  // parameter's name and the step (for warm start, step 0).
  void draw(Matrix& matrix) {
    const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(
        hash64(matrix.name + '@' + std::to_string(step_)));
    matrix.right.copy_(at::randn(
        matrix.right.sizes(), generator, at::TensorOptions(at::kCPU)));
  }

  at::Tensor gradients_;
  PowerSgdOptions options_;
  std::vector<Matrix> matrices_;
  std::vector<at::Tensor> plain_; // flat views of uncompressed gradients
  Matrices lefts_; // all P
  Matrices rights_; // all Q
  Matrices travelling_; // copies of plain_, one row each
  std::int64_t step_ = 0;
  bool compressing_ = false;
  bool apart_ = false; // errors may differ between ranks
  Pending first_;
  Pending second_;
  Pending plain_pending_;
};

} // namespace

std::unique_ptr<BucketExchange> make_power_sgd(
    const at::Tensor& gradients,
    std::vector<BucketPart> parts,
    const PowerSgdOptions& options) {
  return std::make_unique<PowerSgd>(gradients, parts, options);
}

} // namespace vitrain::dist
