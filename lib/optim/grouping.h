#pragma once

#include <functional>
#include <string>

#include "config/sections/optim.h"
#include "optim/flat_state.h"

namespace vitrain::optim {

// Assigns parameters to layers 0 ... count - 1.
struct Layers {
  std::function<int(const std::string& name)> of;
  int count = 1;
};

// Returns the parameter groups of `options`: by weight decay, by layer if there
// is a layer_decay (timm.optim.param_groups_layer_decay; ignored if layers.of
// is empty), by the rules of optim.groups, and for Muon by is_matrix().
Grouping grouping_of(
    const config::OptimConfig& options,
    const Layers& layers = {});

// Returns true if Muon treats a parameter of this shape as a matrix, as timm
// decides: at least two dimensions, the first two larger than 1, at least 4
// rows and columns after flattening the remaining dimensions, and a ratio of
// rows and columns of at most 128.
bool is_matrix(at::IntArrayRef shape);

} // namespace vitrain::optim
