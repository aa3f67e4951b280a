#include "models/model.h"

#include <cassert>

#include "models/convnet.h"
#include "models/mlp.h"
#include "models/resnet.h"
#include "models/vit.h"

namespace vitrain::models {

std::shared_ptr<Model> make_model(const ModelSpec& spec, std::uint64_t seed) {
  switch (spec.family) {
    case Family::kVit:
      return make_vit(spec, seed);
    case Family::kResNet:
      return make_resnet(spec, seed);
    case Family::kConvNet:
      return make_convnet(spec, seed);
    case Family::kMlp:
      return make_mlp(spec, seed);
  }
  assert(false);
  return nullptr;
}

} // namespace vitrain::models
