#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <torch/nn/modules/container/modulelist.h>

#include "networks/layers/blocks.h"
#include "networks/layers/layers.h"
#include "networks/model.h"

namespace vitrain::networks {

// An image classifier without dropout, except in linear layers (Linear).
// Stochastic depth applies to the branches in paths_.
class ImageModel : public Model {
 public:
  explicit ImageModel(const models::ModelSpec& spec) : spec_(spec) {}

  at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor& drop,
      const at::Generator& dropout) final {
    check_images(images, spec_);
    const DropoutScope masks(dropout);
    return logits(images, drop);
  }

  std::vector<double> drop_rates() const final { return paths_.rates(); }

 protected:
  // Adds the ModuleList `name` of `count` blocks, all with drop rate `rate`,
  // and appends them to `blocks`. Constructs each block from
  // (spec_.get<Numbers>(), row of its first residual branch in `drop`,
  // generator).
  template <typename Numbers, typename Block>
  void add_equal_blocks(
      const char* name,
      std::vector<std::shared_ptr<Block>>& blocks,
      std::int64_t count,
      double rate,
      const at::Generator& generator) {
    const auto list = add_layer<torch::nn::ModuleListImpl>(*this, name);
    for (std::int64_t i = 0; i < count; ++i) {
      blocks.push_back(append_layer<Block>(
          *list,
          spec_.get<Numbers>(),
          paths_.add(rate, Block::kBranches),
          generator));
    }
  }

  models::ModelSpec spec_;
  DropPaths paths_;

 private:
  // Computes the outputs of Model::forward() from images that forward() has
  // checked.
  virtual at::Tensor logits(
      const at::Tensor& images,
      const at::Tensor& drop) = 0;
};

} // namespace vitrain::networks
