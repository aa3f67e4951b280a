#include "engine/train/divergence.h"

#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "core/check.h"
#include "core/text.h"
#include "dist/group/collectives.h"

namespace vitrain::engine {
namespace {

constexpr const char* kRemedy =
    "Try a lower optim.lr, a longer schedule.warmup, or optim.clip_norm";

std::string text_of(const Moment& moment) {
  return fmt::format(
      "step {} (epoch {}, lr {})",
      moment.step,
      moment.epoch,
      shortest(moment.lr));
}

// Returns " (the loss of rank 1 is not finite, those of the other ranks are)";
// "" if there is no such difference.
std::string unlike_others(const std::vector<double>& losses) {
  std::vector<std::string> bad;
  for (std::size_t rank = 0; rank < losses.size(); ++rank) {
    if (!std::isfinite(losses[rank])) {
      bad.push_back(std::to_string(rank));
    }
  }
  return bad.empty() || bad.size() == losses.size()
      ? ""
      : fmt::format(
            " (the loss of rank {} is not finite, those of the other ranks "
            "are)",
            join(bad, ", "));
}

} // namespace

std::vector<std::string> non_finite_names(
    const std::map<std::string, at::Tensor>& tensors) {
  const at::NoGradGuard no_grad;
  std::vector<std::string> names;
  std::vector<at::Tensor> extremes;
  for (const auto& [name, tensor] : tensors) {
    if (tensor.is_floating_point() && tensor.numel() > 0) {
      // aminmax returns NaN for both if the tensor contains a NaN.
      const auto [smallest, largest] = at::aminmax(tensor.detach());
      names.push_back(name);
      extremes.push_back(smallest.to(at::kDouble));
      extremes.push_back(largest.to(at::kDouble));
    }
  }
  if (names.empty()) {
    return {};
  }
  const at::Tensor bad = at::stack(extremes).isfinite().logical_not().cpu();
  const bool* not_finite = bad.const_data_ptr<bool>();
  std::vector<std::string> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (not_finite[2 * i] || not_finite[2 * i + 1]) {
      found.push_back(names[i]);
    }
  }
  return found;
}

void check_weights(
    dist::Group& control,
    const std::map<std::string, at::Tensor>& model,
    const std::function<Moment()>& moment_of) {
  const auto all = dist::all_gather(control, non_finite_names(model));
  const auto bad = std::ranges::find_if(
      all, [](const auto& names) { return !names.empty(); });
  if (bad == all.end()) {
    return;
  }
  const Moment moment = moment_of();
  fail(
      ExitCode::kNonFinite,
      "the weights are not finite after {}: NaN or infinity in {}{} on rank "
      "{}: training has diverged. They are not saved; {}. {}",
      text_of(moment),
      bad->front(),
      bad->size() == 1 ? ""
                       : fmt::format(" and {} other tensors", bad->size() - 1),
      bad - all.begin(),
      moment.last_checkpoint,
      kRemedy);
}

void fail_gradient(const BadNorm& bad, const Moment& moment) {
  const bool lost_on_the_way = !bad.sent.empty() &&
      std::ranges::all_of(
          bad.sent, [](double value) { return std::isfinite(value); });
  if (bad.compress == Compress::kFp16 && lost_on_the_way) {
    fail(
        ExitCode::kNonFinite,
        "the gradient norm is {} at {}, though the gradients of this worker "
        "were finite before they were exchanged: the largest number was {}, "
        "and dist.compress: fp16, in which they and their sums travel, ends at "
        "65504. The weights were not changed by this step; {}. Set "
        "dist.compress: bf16, which has the range of fp32, or none",
        bad.norm,
        text_of(moment),
        shortest(*std::ranges::max_element(bad.sent)),
        moment.last_checkpoint);
  }
  fail(
      ExitCode::kNonFinite,
      "the gradient norm is {} at {}{}: training has diverged. The weights "
      "were "
      "not changed by this step; {}. {}",
      bad.norm,
      text_of(moment),
      unlike_others(bad.losses),
      moment.last_checkpoint,
      kRemedy);
}

void fail_loss_scale(double scale, const Moment& moment) {
  fail(
      ExitCode::kNonFinite,
      "the loss scale of train.precision: fp16 fell to {} at {}, and gradients "
      "still overflowed or were not finite: training has diverged, or the "
      "numbers of this network do not fit into fp16, which ends at 65504. The "
      "steps that overflowed changed no weight; {}. Set train.precision: bf16, "
      "which has the range of fp32, where the GPU computes in it, or fp32. {}",
      shortest(scale),
      text_of(moment),
      moment.last_checkpoint,
      kRemedy);
}

} // namespace vitrain::engine
