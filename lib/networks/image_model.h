#pragma once

#include <vector>

#include "networks/layers/blocks.h"
#include "networks/model.h"

namespace vitrain::networks {

// A network of the images of `spec`, of whose branches a training step may
// leave out those in paths_.
class ImageModel : public Model {
 public:
  explicit ImageModel(const models::ModelSpec& spec) : spec_(spec) {}

  std::vector<double> drop_rates() const override { return paths_.rates(); }

 protected:
  models::ModelSpec spec_;
  DropPaths paths_;
};

} // namespace vitrain::networks
