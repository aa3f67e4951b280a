#include "optim/trust_ratio.h"

#include <ATen/ATen.h>

#include "optim/norm.h"

namespace vitrain::optim {
namespace {

std::vector<at::Tensor> parts_of(
    const at::Tensor& buffer,
    const std::vector<const Segment*>& segments,
    std::int64_t own_begin) {
  std::vector<at::Tensor> parts;
  for (const Segment* segment : segments) {
    parts.push_back(buffer.narrow(
        0, segment->offset - own_begin, segment->parameter.numel()));
  }
  return parts;
}

} // namespace

void scale_by_norms(
    const std::vector<const Segment*>& segments,
    std::int64_t own_begin,
    const at::Tensor& weights,
    const at::Tensor& directions,
    const at::Tensor& steps,
    const TrustRatio& ratio) {
  if (segments.empty()) {
    return;
  }
  const auto norms = [&](const at::Tensor& buffer) {
    return euclidean_norms(parts_of(buffer, segments, own_begin));
  };
  const at::Tensor of_weights = norms(weights);
  const at::Tensor of_directions = norms(directions);
  const at::Tensor ratios = at::where(
      of_weights.gt(0).logical_and(of_directions.gt(0)),
      ratio(of_weights, of_directions),
      1.0);
  at::_foreach_mul_(parts_of(steps, segments, own_begin), ratios.unbind());
}

} // namespace vitrain::optim
