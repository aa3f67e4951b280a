#include "optim/clip.h"

#include <algorithm>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "optim/norm.h"

namespace vitrain::optim {
namespace {

at::Tensor norm_of_gradients(const FlatState& state) {
  std::vector<at::Tensor> norms;
  for (const FlatGroup& group : state.groups()) {
    norms.push_back(euclidean_norm(group.gradients));
  }
  return at::linalg_vector_norm(at::stack(norms));
}

// Returns the norm of each output's values (first dimension), [out, 1, ...]; of
// the whole tensor if it has at most one dimension.
at::Tensor norms_by_output(const at::Tensor& values) {
  if (values.dim() <= 1) {
    return at::linalg_vector_norm(values);
  }
  std::vector<std::int64_t> inner;
  for (std::int64_t i = 1; i < values.dim(); ++i) {
    inner.push_back(i);
  }
  return at::linalg_vector_norm(values, 2, inner, /*keepdim=*/true);
}

void clip_by_output(FlatState& state, const Clipping& clipping) {
  for (FlatGroup& group : state.groups()) {
    for (const Segment& segment : group.segments) {
      if (std::ranges::any_of(
              clipping.agc_exempt, [&](const std::string& start) {
                return segment.name.starts_with(start);
              })) {
        continue;
      }
      const at::Tensor gradient = segment.in(group.gradients);
      const at::Tensor limit =
          norms_by_output(segment.parameter.detach()).clamp_min(1e-3) *
          clipping.agc;
      const at::Tensor norm = norms_by_output(gradient);
      gradient.mul_(at::where(norm < limit, 1.0, limit / norm.clamp_min(1e-6)));
    }
  }
}

} // namespace

at::Tensor clip_gradients(FlatState& state, const Clipping& clipping) {
  const at::NoGradGuard no_grad;
  const at::Tensor before = norm_of_gradients(state);
  at::Tensor norm = before;
  if (clipping.agc > 0.0) {
    clip_by_output(state, clipping);
  }
  if (clipping.value > 0.0) {
    for (FlatGroup& group : state.groups()) {
      group.gradients.clamp_(-clipping.value, clipping.value);
    }
  }
  if (clipping.norm > 0.0) {
    if (clipping.agc > 0.0 || clipping.value > 0.0) {
      norm = norm_of_gradients(state);
    }
    const at::Tensor factor =
        at::clamp_max(at::reciprocal(norm + 1e-6) * clipping.norm, 1.0);
    for (FlatGroup& group : state.groups()) {
      group.gradients.mul_(factor);
    }
  }
  return before;
}

} // namespace vitrain::optim
