#include "models/families/mlp.h"

#include <vector>

#include <fmt/format.h>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "core/check.h"
#include "networks/layers/layers.h"
#include "networks/model.h"
#include "networks/networks.h"

namespace vitrain::networks {
namespace {

class MlpNet : public Model {
 public:
  MlpNet(const models::ModelSpec& spec, at::Generator generator)
      : inputs_(spec.input_numbers()) {
    const auto& net = spec.get<models::MlpSpec>();
    std::int64_t in = inputs_;
    if (net.hidden > 0) {
      const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "hidden");
      for (std::int64_t i = 0; i < net.hidden; ++i) {
        hidden_.push_back(
            append_layer<Linear>(*list, in, net.width, generator));
        in = net.width;
      }
    }
    fc_ = add_layer<Linear>(*this, "fc", in, spec.num_classes, generator);
  }

  at::Tensor forward(
      const at::Tensor& inputs,
      const at::Tensor& drop,
      const at::Generator& dropout) override {
    const DropoutScope masks(dropout);
    at::Tensor x = inputs.flatten(1);
    VITRAIN_CHECK(
        x.size(1) == inputs_ && !drop.defined(),
        ExitCode::kInternal,
        "this network takes {} numbers a sample and drops nothing",
        inputs_);
    for (const auto& layer : hidden_) {
      x = (*layer)(x).relu_();
    }
    return (*fc_)(x);
  }

 private:
  std::int64_t inputs_;
  std::vector<std::shared_ptr<Linear>> hidden_;
  std::shared_ptr<Linear> fc_;
};

} // namespace

const MakeNetwork make_mlp = construct<MlpNet>;

} // namespace vitrain::networks
