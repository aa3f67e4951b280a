#include "networks/uninitialized_model.h"

#include "networks/layers/init.h"

namespace vitrain::networks {

std::shared_ptr<Model> make_uninitialized_model(const models::ModelSpec& spec) {
  const SkipWeightInit skip_weight_init;
  auto model = make_model(spec, /*seed=*/0);
  model->eval();
  return model;
}

} // namespace vitrain::networks
