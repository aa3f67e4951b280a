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

constexpr std::int64_t kFp32 = 4;
constexpr std::int64_t kImage = 28;

struct Size {
  const char* name;
  MlpSpec numbers;
};

constexpr std::array kSizes{
    Size{"linear", {.hidden = 0, .width = 0}},
    Size{"mlp", {.hidden = 1, .width = 256}},
};

const MlpSpec& of(const ModelSpec& spec) {
  return std::any_cast<const MlpSpec&>(spec.numbers);
}

class Mlp : public Model {
 public:
  Mlp(const ModelSpec& spec, at::Generator generator)
      : inputs_(spec.input_numbers()) {
    const MlpSpec& net = of(spec);
    std::int64_t in = inputs_;
    if (net.hidden > 0) {
      const auto list = register_module(
          "hidden", std::make_shared<torch::nn::ModuleListImpl>());
      for (std::int64_t i = 0; i < net.hidden; ++i) {
        hidden_.push_back(std::make_shared<Linear>(in, net.width, generator));
        list->push_back(hidden_.back());
        in = net.width;
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

std::vector<std::string> list() {
  std::vector<std::string> names;
  for (const Size& size : kSizes) {
    names.emplace_back(size.name);
  }
  return names;
}

std::optional<ModelSpec> find(const std::string& name) {
  for (const Size& size : kSizes) {
    if (name == size.name) {
      ModelSpec spec;
      spec.image_size = kImage;
      spec.numbers = size.numbers;
      return spec;
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> options(const ModelSpec& named) {
  if (of(named).hidden == 0) {
    return {};
  }
  return {"embed_dim", "depth"};
}

void apply(const config::ModelConfig& config, ModelSpec& spec) {
  MlpSpec net = of(spec);
  net.hidden = config.depth.value_or(net.hidden);
  net.width = config.embed_dim.value_or(net.width);
  spec.numbers = net;
}

std::string describe(const ModelSpec& spec) {
  const MlpSpec& net = of(spec);
  return net.hidden == 0
      ? "one linear layer on the numbers of an image or vector"
      : fmt::format(
            "{} hidden layer of width {} (depth, embed_dim) on the numbers of "
            "an image or vector",
            net.hidden,
            net.width);
}

std::string identity(const ModelSpec& spec) {
  return fmt::format(
      "{} inputs, depth {}, width {}",
      spec.input_numbers(),
      of(spec).hidden,
      of(spec).width);
}

ActivationBytes activations(const ModelSpec& spec, bool /*bf16*/) {
  const MlpSpec& net = of(spec);
  const std::int64_t kept = spec.input_numbers() + 2 * net.hidden * net.width;
  return {
      .kept = kept * kFp32,
      .passing = (spec.input_numbers() + 2 * net.width) * kFp32};
}

} // namespace
} // namespace mlp

const Family kMlp{
    .name = "mlp",
    .list = mlp::list,
    .find = mlp::find,
    .options = mlp::options,
    .apply = mlp::apply,
    .describe = mlp::describe,
    .identity = mlp::identity,
    .activations = mlp::activations,
    .make = [](const ModelSpec& spec,
               const at::Generator& generator) -> std::shared_ptr<Model> {
      return std::make_shared<mlp::Mlp>(spec, generator);
    },
    .takes_vectors = true};

} // namespace vitrain::models
