#include "models/families/mlp.h"

#include <array>
#include <vector>

#include <fmt/format.h>

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include "core/check.h"
#include "models/layers/layers.h"
#include "models/model.h"

namespace vitrain::models {
namespace mlp {
namespace {

constexpr auto kNetworks = std::to_array<NamedNetwork<MlpSpec>>({
    {"linear", 28, 3, {.hidden = 0, .width = 0}},
    {"mlp", 28, 3, {.hidden = 1, .width = 256}},
});

class Mlp : public Model {
 public:
  Mlp(const ModelSpec& spec, at::Generator generator)
      : inputs_(spec.input_numbers()) {
    const auto& net = spec.get<MlpSpec>();
    std::int64_t in = inputs_;
    if (net.hidden > 0) {
      const auto list = add_layer<torch::nn::ModuleListImpl>(*this, "hidden");
      for (std::int64_t i = 0; i < net.hidden; ++i) {
        hidden_.push_back(std::make_shared<Linear>(in, net.width, generator));
        list->push_back(hidden_.back());
        in = net.width;
      }
    }
    fc_ = add_layer<Linear>(*this, "fc", in, spec.num_classes, generator);
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

std::vector<std::string_view> options(const ModelSpec& named) {
  if (named.get<MlpSpec>().hidden == 0) {
    return {};
  }
  return {"embed_dim", "depth"};
}

void apply(const config::ModelConfig& config, ModelSpec& spec) {
  auto net = spec.get<MlpSpec>();
  net.hidden = config.depth.value_or(net.hidden);
  net.width = config.embed_dim.value_or(net.width);
  spec.numbers = net;
}

std::string describe(const ModelSpec& spec) {
  const auto& net = spec.get<MlpSpec>();
  return net.hidden == 0
      ? "one linear layer on the numbers of an image or vector"
      : fmt::format(
            "{} hidden layer of width {} (depth, embed_dim) on the numbers of "
            "an image or vector",
            net.hidden,
            net.width);
}

std::string identity(const ModelSpec& spec) {
  const auto& net = spec.get<MlpSpec>();
  return fmt::format(
      "{} inputs, depth {}, width {}",
      spec.input_numbers(),
      net.hidden,
      net.width);
}

ActivationBytes activations(const ModelSpec& spec, bool /*bf16*/) {
  const auto& net = spec.get<MlpSpec>();
  const std::int64_t kept = spec.input_numbers() + 2 * net.hidden * net.width;
  return {
      .kept = kept * kFp32Bytes,
      .passing = (spec.input_numbers() + 2 * net.width) * kFp32Bytes};
}

} // namespace
} // namespace mlp

const Family kMlp{
    .name = "mlp",
    .list = names_in<mlp::kNetworks>,
    .find = find_in<mlp::kNetworks>,
    .options = mlp::options,
    .apply = mlp::apply,
    .describe = mlp::describe,
    .identity = mlp::identity,
    .activations = mlp::activations,
    .make = make_network<mlp::Mlp>,
    .takes_vectors = true};

} // namespace vitrain::models
