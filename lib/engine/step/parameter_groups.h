#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/sections/recipe.h"
#include "core/json.h"
#include "models/families/spec.h"
#include "networks/model.h"
#include "optim/flat_state.h"

namespace vitrain::engine {

// Returns how the recipe groups the parameters of a network for the optimizer.
// `names`: all parameters of the network, in its order. Throws Error(kUsage)
// for a pattern of optim.groups that matches no name.
optim::Grouping parameter_grouping(
    const config::OptimConfig& optim,
    const models::ModelSpec& spec,
    const std::vector<std::string>& names);

// Return the names of all parameters, in the network's order: of a model, or of
// a network that need not be built.
std::vector<std::string> parameter_names(const networks::Model& model);
std::vector<std::string> parameter_names(const models::ModelSpec& spec);

// Returns a note about items of optim.no_decay that match none of `names`, all
// parameters of the network; "" if there are none. Items of the default, and
// relative_position_bias_table of translated torchvision recipes, are meant for
// any network and are not noted.
std::string idle_no_decay(
    const config::OptimConfig& optim,
    const models::ModelSpec& spec,
    const std::vector<std::string>& names);

// Returns those of `names`, all parameters of the network, that are not
// trained: those that match model.freeze and, with model.lora, all but the
// classifier and the adapters. Throws Error(kUsage) for a pattern without a
// match, and if no parameter would remain trainable.
std::vector<std::string> frozen_parameters(
    const config::ModelConfig& model,
    const std::vector<std::string>& names);

// Excludes frozen_parameters() from training; with
// model.freeze_batchnorm also stops updating the running statistics of
// BatchNorm layers whose weight and bias are both frozen. Throws as
// frozen_parameters() does.
void freeze(networks::Model& model, const config::ModelConfig& config);

// Summary of a parameter group.
struct GroupSummary {
  optim::GroupSettings settings;
  std::int64_t parameters = 0; // number of tensors
  std::int64_t values = 0; // number of their elements
};

// Returns all groups of trained parameters of a recipe's network, in the order
// of FlatState, without building it. Throws as parameter_grouping() and
// frozen_parameters() do.
std::vector<GroupSummary> summarize_groups(
    const config::Recipe& recipe,
    const models::ModelSpec& spec);

// Returns a text about the groups; those that differ only in weight decay or
// update rule share a line: name, rate for the base rate `lr`, number of
// values, weight decays, and the epochs in which they are trained unless all.
std::string groups_text(const std::vector<GroupSummary>& groups, double lr);

// Returns the `groups` of the start record in metrics.jsonl.
Json groups_record(const std::vector<GroupSummary>& groups);

} // namespace vitrain::engine
