#include "networks/model.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/cat.h>

#include "core/check.h"
#include "models/families/family.h"
#include "networks/networks.h"

namespace vitrain::networks {

void check_images(const at::Tensor& images, const models::ModelSpec& spec) {
  const bool fits = images.dim() == 4 && images.size(1) == spec.channels &&
      (spec.family->any_image_size ||
       (images.size(2) == spec.image_size.height &&
        images.size(3) == spec.image_size.width));
  VITRAIN_CHECK(
      fits,
      ExitCode::kInternal,
      "a batch of another shape than the model's images [N, {}, {}, {}]",
      spec.channels,
      spec.image_size.height,
      spec.image_size.width);
}

at::Tensor of_two_heads(
    const models::ModelSpec& spec,
    bool training,
    const at::Tensor& classes,
    const at::Tensor& distillation) {
  return training && spec.heads_apart ? at::cat({classes, distillation}, 1)
                                      : (classes + distillation) / 2;
}

std::shared_ptr<Model> make_model(
    const models::ModelSpec& spec,
    std::uint64_t seed) {
  return make_network(spec, at::detail::createCPUGenerator(seed));
}

} // namespace vitrain::networks
