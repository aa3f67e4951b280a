#include "optim/element_optimizer.h"

namespace vitrain::optim {

void scale_cautious_steps(
    const std::vector<const Segment*>& segments,
    std::int64_t own_begin,
    const at::Tensor& steps) {
  for (const Segment* segment : segments) {
    const std::int64_t size = segment->parameter.numel();
    const at::Tensor part = steps.narrow(0, segment->offset - own_begin, size);
    const at::Tensor share = at::count_nonzero(part).to(at::kDouble) / size;
    part.div_(share.clamp_min(1e-3));
  }
}

} // namespace vitrain::optim
