#pragma once

#include <vector>

#include "networks/layers/blocks.h"
#include "networks/model.h"

namespace vitrain::networks {

// A classifier of the images of `spec` without dropout, of whose branches a
// training step may leave out those in paths_.
class ImageModel : public Model {
 public:
  explicit ImageModel(const models::ModelSpec& spec) : spec_(spec) {}

  at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor& drop,
      const at::Generator& /*dropout*/) final {
    check_images(images, spec_);
    return logits(images, drop);
  }

  std::vector<double> drop_rates() const final { return paths_.rates(); }

 protected:
  models::ModelSpec spec_;
  DropPaths paths_;

 private:
  // The outputs of such images, as forward() has them.
  virtual at::Tensor logits(
      const at::Tensor& images,
      const at::Tensor& drop) = 0;
};

} // namespace vitrain::networks
