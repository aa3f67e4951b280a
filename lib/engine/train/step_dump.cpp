#include "engine/train/step_dump.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

namespace vitrain::engine {

std::vector<std::vector<std::int64_t>> samples_of_step(
    const data::Sampler& sampler,
    std::int64_t epoch,
    std::int64_t step_in_epoch,
    std::int64_t micro_batches) {
  std::vector<std::vector<std::int64_t>> samples;
  for (std::int64_t k = 0; k < micro_batches; ++k) {
    samples.emplace_back();
    for (const data::Draw& draw :
         sampler.micro_batch(epoch, step_in_epoch, k)) {
      samples.back().push_back(draw.sample);
    }
  }
  return samples;
}

Json norms_of(const optim::FlatState& parameters) {
  const at::NoGradGuard no_grad;
  const auto norm_of = [](const at::Tensor& values) {
    return fmt::format("{:.9g}", at::linalg_vector_norm(values).item<double>());
  };
  Json norms = Json::array();
  for (const optim::FlatGroup& group : parameters.groups()) {
    for (const optim::Segment& segment : group.segments) {
      norms.push_back(
          {{"name", segment.name},
           {"weights", norm_of(segment.parameter)},
           {"gradient", norm_of(segment.in(group.gradients))}});
    }
  }
  return norms;
}

} // namespace vitrain::engine
