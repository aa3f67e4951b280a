#include "engine/state/named_state.h"

#include <ATen/ATen.h>

#include "core/check.h"

namespace vitrain::engine {

std::map<std::string, at::Tensor> named_state(torch::nn::Module& module) {
  std::map<std::string, at::Tensor> state;
  for (const auto& item : module.named_parameters()) {
    state[item.key()] = item.value().detach();
  }
  for (const auto& item : module.named_buffers()) {
    state[item.key()] = item.value().detach();
  }
  return state;
}

void load_named_state(
    torch::nn::Module& module,
    const std::map<std::string, at::Tensor>& saved) {
  const at::NoGradGuard no_grad;
  auto state = named_state(module);
  for (const auto& [name, tensor] : saved) {
    VITRAIN_CHECK(
        state.contains(name),
        ExitCode::kWeights,
        "the checkpoint's tensor '{}' does not belong to this model",
        name);
  }
  for (const auto& [name, tensor] : state) {
    const auto found = saved.find(name);
    VITRAIN_CHECK(
        found != saved.end() && found->second.sizes() == tensor.sizes(),
        ExitCode::kWeights,
        "the checkpoint's tensor '{}' is missing or has another shape",
        name);
  }
  for (const auto& [name, tensor] : state) {
    tensor.copy_(saved.at(name));
  }
}

} // namespace vitrain::engine
