#include "models/model.h"

#include <ATen/CPUGeneratorImpl.h>

#include "models/families/family.h"

namespace vitrain::models {

std::shared_ptr<Model> make_model(const ModelSpec& spec, std::uint64_t seed) {
  return spec.family->make(spec, at::detail::createCPUGenerator(seed));
}

} // namespace vitrain::models
