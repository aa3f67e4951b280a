#include "golden.h"

#include <fstream>

#include <ATen/ATen.h>

namespace vitrain::optim {
namespace {

torch::nn::Module make_module(const std::string& name_of_file) {
  static std::map<std::string, nlohmann::json> files;
  nlohmann::json& file = files[name_of_file];
  if (file.is_null()) {
    file = golden(name_of_file);
  }
  torch::nn::Module parent;
  for (const auto& parameter : file.at("parameters")) {
    // Names with dots belong to submodules, as in a model.
    std::string name = parameter.at("name");
    const NamedValues start = file.at("start");
    const at::Tensor values =
        at::tensor(start.at(name), at::kFloat)
            .view(parameter.at("shape").get<std::vector<std::int64_t>>());
    torch::nn::Module* owner = &parent;
    for (std::size_t dot = name.find('.'); dot != std::string::npos;
         dot = name.find('.')) {
      const std::string part = name.substr(0, dot);
      const auto children = owner->named_children();
      owner = children.contains(part)
          ? children[part].get()
          : owner->register_module(part, std::make_shared<torch::nn::Module>())
                .get();
      name = name.substr(dot + 1);
    }
    owner->register_parameter(name, values);
  }
  return parent;
}

} // namespace

nlohmann::json golden(const std::string& file) {
  std::ifstream stream(VITRAIN_SOURCE_DIR "/tests/golden/optim/" + file);
  return nlohmann::json::parse(stream);
}

GoldenNet::GoldenNet(double weight_decay)
    : GoldenNet(
          "trajectories.json",
          decay_grouping(weight_decay, {"bias", "norm"})) {}

GoldenNet::GoldenNet(
    const std::string& file,
    const Grouping& grouping,
    const Share& share)
    : module_(make_module(file)), state_(module_, grouping, share) {}

void GoldenNet::accumulate(const NamedValues& values) {
  for (const auto& item : module_.named_parameters()) {
    at::Tensor gradient = item.value().grad();
    gradient.add_(
        at::tensor(values.at(item.key()), at::kFloat).view(gradient.sizes()));
  }
}

std::map<std::string, at::Tensor> GoldenNet::weights() const {
  std::map<std::string, at::Tensor> all;
  for (const auto& item : module_.named_parameters()) {
    all[item.key()] = item.value().detach().flatten().to(at::kDouble);
  }
  return all;
}

std::map<std::string, at::Tensor> GoldenNet::gradients() const {
  std::map<std::string, at::Tensor> all;
  for (const auto& item : module_.named_parameters()) {
    all[item.key()] = item.value().grad().flatten().to(at::kDouble);
  }
  return all;
}

} // namespace vitrain::optim
