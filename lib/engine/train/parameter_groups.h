#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/sections/recipe.h"
#include "core/text/json.h"
#include "models/spec.h"
#include "networks/model.h"
#include "optim/weights/flat_state.h"

namespace vitrain::engine {

// How the recipe groups the parameters of a network, of which `names` are all
// in the network's order. Throws Error(kUsage) for a pattern of optim.groups
// that no name matches.
optim::Grouping parameter_grouping(
    const config::OptimConfig& optim,
    const models::ModelSpec& spec,
    const std::vector<std::string>& names);

// Names of all parameters of `model`, in its order; of a network that need not
// be built.
std::vector<std::string> parameter_names(const networks::Model& model);
std::vector<std::string> parameter_names(const models::ModelSpec& spec);

// Returns a note about items of optim.no_decay that match no parameter, or "".
// Items of the default and of translated recipes, which are for any network,
// are not noted.
std::string idle_no_decay(
    const config::OptimConfig& optim,
    const models::ModelSpec& spec,
    const std::vector<std::string>& names);

// Returns the names that match model.freeze. Throws Error(kUsage) for a pattern
// without a match, and if no parameter remained trainable.
std::vector<std::string> frozen_parameters(
    const config::ModelConfig& model,
    const std::vector<std::string>& names);

// Excludes from training the parameters of `model` that model.freeze names, and
// with model.freeze_batchnorm the running statistics of the BatchNorm layers
// that have no other parameters. Throws as frozen_parameters() does.
void freeze(networks::Model& model, const config::ModelConfig& config);

// Summary of a parameter group.
struct GroupSummary {
  optim::GroupSettings settings;
  std::int64_t parameters = 0;
  std::int64_t values = 0;
};

// All groups of a recipe's network, in the order of training, without building
// it. Throws as frozen_parameters() does.
std::vector<GroupSummary> summarize_groups(
    const config::Recipe& recipe,
    const models::ModelSpec& spec);

// One line for each learning rate: its groups' names, their share of `lr`,
// their values, and the weight decays among them.
std::string groups_text(const std::vector<GroupSummary>& groups, double lr);

Json groups_record(const std::vector<GroupSummary>& groups);

} // namespace vitrain::engine
