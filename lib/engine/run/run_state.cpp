#include "engine/run/run_state.h"

#include <cmath>

#include <ATen/ATen.h>
#include <torch/nn/module.h>

#include "core/check.h"
#include "core/enum_names.h"
#include "core/hash.h"
#include "models/families/family.h"
#include "optim/optimizers.h"

namespace vitrain::engine {

bool improves(config::Metric metric, double value, const Best& best) {
  if (std::isnan(value)) {
    return false;
  }
  if (best.step < 0) {
    return true;
  }
  return metric == config::Metric::kLoss ? value < best.value
                                         : value > best.value;
}

Json RunState::to_json() const {
  return {
      {"step", step}, {"best", {{"value", best.value}, {"step", best.step}}}};
}

Json RunIdentity::to_json() const {
  return {
      {"model", model},
      {"network", network},
      {"num_classes", num_classes},
      {"optim.name", optimizer},
      {"seed", seed},
      {"global_batch", global_batch},
      {"train_samples", train_samples},
      {"train_fingerprint", train_fingerprint},
      {"sampler", sampler}};
}

void RunIdentity::check_same(const Json& checkpoint, const std::string& path)
    const {
  std::string differences;
  const Json own = to_json();
  for (const auto& [key, value] : own.items()) {
    const Json saved = checkpoint.value(key, value);
    VITRAIN_CHECK(
        value.is_string() ? saved.is_string() : saved.is_number_integer(),
        ExitCode::kWeights,
        "{}: 'state.identity.{}' is {}, not {}",
        path,
        key,
        saved.dump(),
        value.is_string() ? "a string" : "an integer");
    if (saved != value) {
      differences += fmt::format(
          "\n  {}: checkpoint {}, this run {}",
          key,
          saved.dump(),
          value.dump());
    }
  }
  VITRAIN_CHECK(
      differences.empty(),
      ExitCode::kUsage,
      "{} was made by a different run and cannot be continued:{}\nUse "
      "-pretrained to start a new run from its weights",
      path,
      differences);
}

RunIdentity identity_of(
    const Job& job,
    const config::Plan& plan,
    const models::ModelSpec& spec,
    const data::Index& train) {
  return {
      .model = spec.name,
      .network = spec.family->identity(spec),
      .num_classes = spec.num_classes,
      .optimizer = optim::identity_of(job.recipe.optim),
      .seed = job.recipe.run.seed,
      .global_batch = plan.global_batch,
      .train_samples = train.size(),
      .train_fingerprint = to_hex(train.fingerprint()),
      .sampler = name_of(job.recipe.data.sampler.policy)};
}

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
  for (auto& [name, tensor] : state) {
    const auto found = saved.find(name);
    VITRAIN_CHECK(
        found != saved.end() && found->second.sizes() == tensor.sizes(),
        ExitCode::kWeights,
        "the checkpoint's tensor '{}' is missing or has another shape",
        name);
    tensor.copy_(found->second);
  }
}

} // namespace vitrain::engine
