#include "networks/blank_model.h"

#include "networks/layers/without_drawing.h"

namespace vitrain::networks {

std::shared_ptr<Model> make_blank_model(const models::ModelSpec& spec) {
  const WithoutDrawing without_drawing;
  auto model = make_model(spec, /*seed=*/0);
  model->eval();
  return model;
}

} // namespace vitrain::networks
