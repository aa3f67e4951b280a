#include "models/mlp.h"

#include <vector>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <torch/nn/modules/container/modulelist.h>

#include "core/check.h"
#include "models/layers.h"

namespace vitrain::models {
namespace {

class Mlp : public Model {
 public:
  Mlp(const ModelSpec& spec, at::Generator generator)
      : inputs_(spec.input_numbers()) {
    std::int64_t in = inputs_;
    if (spec.mlp.hidden > 0) {
      const auto list = register_module(
          "hidden", std::make_shared<torch::nn::ModuleListImpl>());
      for (std::int64_t i = 0; i < spec.mlp.hidden; ++i) {
        hidden_.push_back(
            std::make_shared<Linear>(in, spec.mlp.width, generator));
        list->push_back(hidden_.back());
        in = spec.mlp.width;
      }
    }
    fc_ = register_module(
        "fc", std::make_shared<Linear>(in, spec.num_classes, generator));
  }

  at::Tensor forward(
      const at::Tensor& inputs,
      const at::Tensor& drop,
      const at::Generator& /*dropout*/) override {
    at::Tensor x = inputs.flatten(1);
    VITRAIN_CHECK(
        x.size(1) == inputs_ && !drop.defined(),
        ExitCode::kInternal,
        "this network takes {} numbers a sample and drops nothing",
        inputs_);
    for (const auto& layer : hidden_) {
      x = (*layer)(x).relu();
    }
    return (*fc_)(x);
  }

 private:
  std::int64_t inputs_;
  std::vector<std::shared_ptr<Linear>> hidden_;
  std::shared_ptr<Linear> fc_;
};

} // namespace

std::shared_ptr<Model> make_mlp(const ModelSpec& spec, std::uint64_t seed) {
  return std::make_shared<Mlp>(spec, at::detail::createCPUGenerator(seed));
}

} // namespace vitrain::models
