#pragma once

#include <cstdint>

#include <fmt/format.h>

#include "models/families/family.h"

namespace vitrain::models {

// A multilayer perceptron; without hidden layers it is a linear model.
struct MlpSpec {
  std::int64_t hidden = 0; // number of hidden layers, each followed by a ReLU
  std::int64_t width = 0; // width of each hidden layer
};

namespace mlp {

inline constexpr auto kNetworks = std::to_array<NamedNetwork<MlpSpec>>({
    {"linear", 28, 3, {.hidden = 0, .width = 0}},
    {"mlp", 28, 3, {.hidden = 1, .width = 256}},
});

inline std::vector<std::string_view> options(const ModelSpec& named) {
  if (named.get<MlpSpec>().hidden == 0) {
    return {};
  }
  return {"embed_dim", "depth"};
}

inline void apply(const config::ModelConfig& config, ModelSpec& spec) {
  auto net = spec.get<MlpSpec>();
  net.hidden = config.depth.value_or(net.hidden);
  net.width = config.embed_dim.value_or(net.width);
  spec.numbers = net;
}

inline std::string describe(const ModelSpec& spec) {
  const auto& net = spec.get<MlpSpec>();
  return net.hidden == 0
      ? "one linear layer on the numbers of an image or vector"
      : fmt::format(
            "{} hidden layer of width {} (depth, embed_dim) on the numbers of "
            "an image or vector",
            net.hidden,
            net.width);
}

inline std::string identity(const ModelSpec& spec) {
  const auto& net = spec.get<MlpSpec>();
  return fmt::format(
      "{} inputs, depth {}, width {}",
      spec.input_numbers(),
      net.hidden,
      net.width);
}

inline ActivationBytes activations(const ModelSpec& spec, bool /*bf16*/) {
  const auto& net = spec.get<MlpSpec>();
  const std::int64_t kept = spec.input_numbers() + 2 * net.hidden * net.width;
  return {
      .kept = kept * kFp32Bytes,
      .passing = (spec.input_numbers() + 2 * net.width) * kFp32Bytes};
}

} // namespace mlp

// Linear layers with ReLU between them, "hidden.0", ..., then "fc", on vectors
// or flattened images. Initialised as torch.nn.Linear, in this order.
inline const Family kMlp{
    .name = "mlp",
    .list = names_in<mlp::kNetworks>,
    .find = find_in<mlp::kNetworks>,
    .options = mlp::options,
    .apply = mlp::apply,
    .describe = mlp::describe,
    .identity = mlp::identity,
    .activations = mlp::activations,
    .classifier = {"fc."},
    .takes_vectors = true};

} // namespace vitrain::models
