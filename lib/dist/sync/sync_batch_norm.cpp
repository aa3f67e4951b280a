#include "dist/sync/sync_batch_norm.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "dist/sync/bucket_exchange.h"

namespace vitrain::dist {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

// Statistics per channel, [C].
struct Statistics {
  at::Tensor mean;
  at::Tensor variance; // biased
  at::Tensor count; // scalar: values per channel
};

std::int64_t values_per_channel(const at::Tensor& x) {
  return x.size(0) == 0 ? 0 : x.numel() / x.size(1);
}

// Returns mean, variance and count of this rank's batch: [2 C + 1] fp64, so
// that the count is exact and combining loses no precision. All are 0 if the
// batch is empty.
at::Tensor local_statistics(const at::Tensor& x, const at::Tensor& like) {
  const std::int64_t count = values_per_channel(x);
  const auto wide = like.options().dtype(at::kDouble);
  if (count == 0) {
    return at::zeros({2 * x.size(1) + 1}, wide);
  }
  // fp32 running buffers make the kernel compute fp32 statistics of 16-bit
  // inputs.
  const auto [mean, variance] = at::batch_norm_update_stats(
      x, at::zeros_like(like), at::zeros_like(like), /*momentum=*/0.0);
  return at::cat(
      {mean.to(at::kDouble),
       variance.to(at::kDouble),
       at::full({1}, static_cast<double>(count), wide)});
}

// Combines the statistics of all ranks (Chan, Golub, LeVeque, "Updating
// formulae and a pairwise algorithm for computing sample variances", 1979), in
// rank order, so that all ranks get the same bits. `parts`: local_statistics()
// of each rank.
Statistics combine(
    const std::vector<at::Tensor>& parts,
    std::int64_t channels) {
  const at::Tensor all = at::stack(parts); // [W, 2 C + 1]
  const at::Tensor means = all.narrow(1, 0, channels);
  const at::Tensor variances = all.narrow(1, channels, channels);
  const at::Tensor counts = all.narrow(1, 2 * channels, 1);
  const at::Tensor count = counts.sum();
  const at::Tensor weights = counts / count.clamp_min(1.0);
  const at::Tensor mean = (weights * means).sum(0);
  const at::Tensor variance =
      (weights * (variances + (means - mean).square())).sum(0);
  return {mean, variance, count};
}

// Updates the running statistics like torch.nn.BatchNorm, with the unbiased
// variance.
void update_running(
    const Statistics& statistics,
    double momentum,
    const at::Tensor& running_mean,
    const at::Tensor& running_var) {
  const at::Tensor& count = statistics.count;
  // 0 if there are no samples or only one value, which has no variance.
  // Computed on the device, so that the host does not wait.
  const at::Tensor rate = count.gt(1).to(at::kDouble) * momentum;
  const at::Tensor unbiased =
      statistics.variance * (count / (count - 1.0).clamp_min(1.0));
  running_mean.copy_(running_mean + rate * (statistics.mean - running_mean));
  running_var.copy_(running_var + rate * (unbiased - running_var));
}

// Returns a [1, C, 1, ...] view of `per_channel` [C] that broadcasts to x.
at::Tensor beside(const at::Tensor& per_channel, const at::Tensor& x) {
  std::vector<std::int64_t> shape(static_cast<std::size_t>(x.dim()), 1);
  shape[1] = per_channel.numel();
  return per_channel.view(shape);
}

// Runs `exchange`, in which this rank sends `own`, and adds it to `traffic` if
// that is not null.
template <typename Exchange>
void measured(
    Traffic* traffic,
    const Group& group,
    const at::Tensor& own,
    Exchange&& exchange) {
  if (traffic == nullptr || group.size() == 1) {
    exchange();
    return;
  }
  traffic->bytes += bytes_of(group, own);
  add_exposed(*traffic, own.device(), exchange);
}

class SyncBatchNorm final : public torch::autograd::Function<SyncBatchNorm> {
 public:
  static Variable forward(
      AutogradContext* context,
      const Variable& x,
      const Variable& weight,
      const Variable& bias,
      Group* group,
      const BatchNormLayer& layer) {
    const at::Tensor own = local_statistics(x, weight);
    std::vector<at::Tensor> parts;
    measured(
        layer.traffic, *group, own, [&] { parts = group->all_gather(own); });
    const Statistics statistics = combine(parts, x.size(1));
    update_running(
        statistics, layer.momentum, layer.running_mean, layer.running_var);
    const at::Tensor mean = statistics.mean.to(at::kFloat);
    const at::Tensor variance = statistics.variance.to(at::kFloat);
    context->save_for_backward({x, weight, mean, variance, statistics.count});
    context->saved_data["group"] = reinterpret_cast<std::int64_t>(group);
    context->saved_data["traffic"] =
        reinterpret_cast<std::int64_t>(layer.traffic);
    context->saved_data["eps"] = layer.eps;
    if (x.numel() == 0) {
      return at::empty_like(x);
    }
    return std::get<0>(at::native_batch_norm(
        x,
        weight,
        bias,
        mean,
        variance,
        /*training=*/false,
        /*momentum=*/0.0,
        layer.eps));
  }

  // With x^ = (x - mean) / sigma and n values per channel over all ranks: dx =
  // weight / sigma (dy - sum(dy) / n - x^ sum(dy x^) / n).
  static variable_list backward(
      AutogradContext* context,
      const variable_list& outputs) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const at::Tensor& weight = saved[1];
    const at::Tensor& mean = saved[2];
    const at::Tensor& variance = saved[3];
    const at::Tensor& count = saved[4];
    const double eps = context->saved_data["eps"].toDouble();
    auto* group =
        reinterpret_cast<Group*>(context->saved_data["group"].toInt());
    const at::Tensor& dy = outputs[0];
    at::Tensor dweight = at::zeros_like(weight); // sum(dy x^), of this rank
    at::Tensor dbias = at::zeros_like(weight); // sum(dy)
    if (x.numel() > 0) {
      // Empty tensors, like those that forward returns in eval mode: CUDA
      // rejects undefined ones.
      const at::Tensor unsaved = at::empty({0}, mean.options());
      std::tie(std::ignore, dweight, dbias) = at::native_batch_norm_backward(
          dy,
          x,
          weight,
          mean,
          variance,
          /*save_mean=*/unsaved,
          /*save_invstd=*/unsaved,
          /*train=*/false,
          eps,
          /*output_mask=*/{false, true, true});
    }
    const at::Tensor sums = at::stack({dweight, dbias});
    auto* traffic =
        reinterpret_cast<Traffic*>(context->saved_data["traffic"].toInt());
    measured(traffic, *group, sums, [&] { group->all_reduce(sums); });
    if (x.numel() == 0) {
      return {at::zeros_like(x), dweight, dbias, {}, {}};
    }
    const at::Tensor inverse = at::rsqrt(variance + eps);
    const at::Tensor scale = weight * inverse;
    const at::Tensor means = sums / count.to(at::kFloat);
    at::Tensor dx = x - beside(mean, x);
    dx.mul_(beside(-scale * inverse * means[0], x))
        .sub_(beside(scale * means[1], x))
        .addcmul_(dy.to(dx.scalar_type()), beside(scale, x));
    return {dx.to(x.scalar_type()), dweight, dbias, {}, {}};
  }
};

} // namespace

at::Tensor sync_batch_norm(
    Group& group,
    const at::Tensor& x,
    const BatchNormLayer& layer) {
  return SyncBatchNorm::apply(x, layer.weight, layer.bias, &group, layer);
}

} // namespace vitrain::dist
