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

// That items of optim.no_decay exempt nothing, in a sentence; "" where all do.
// Nothing is said of items that recipes for any network have: those of the
// default and of translated ones.
std::string idle_no_decay(
    const config::OptimConfig& optim,
    const models::ModelSpec& spec,
    const std::vector<std::string>& names);

// Those of `names` that model.freeze names. Throws Error(kUsage) for a pattern
// that no name matches, and when nothing would be left.
std::vector<std::string> frozen_parameters(
    const config::ModelConfig& model,
    const std::vector<std::string>& names);

// Excludes from training the parameters of `model` that model.freeze names, and
// with model.freeze_batchnorm the running statistics of the BatchNorm layers
// that have no other parameters. Throws as frozen_parameters() does.
void freeze(networks::Model& model, const config::ModelConfig& config);

// What an optimizer treats alike.
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
