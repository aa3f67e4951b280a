#pragma once

#include <functional>
#include <string>

#include "config/sections/optim/optim.h"
#include "optim/weights/flat_state.h"

namespace vitrain::optim {

// The layer of a parameter, from 0 at the input, and their number.
struct Layers {
  std::function<int(const std::string& name)> of;
  int count = 1;
};

// Groups as `options` say: by weight decay, by layer where they have a
// layer_decay (timm.optim.param_groups_layer_decay; `layers` is needed then),
// by the rules of optim.groups, and by what the optimizer treats alike.
Grouping grouping_of(
    const config::OptimConfig& options,
    const Layers& layers = {});

// Whether Muon takes a parameter of this shape for a matrix, as timm decides
// it: two dimensions of more than one element, of which neither of the first
// two has one only, with at least 4 rows and columns once the others are
// flattened, and at most 128 times as many of one as of the other.
bool is_matrix(at::IntArrayRef shape);

} // namespace vitrain::optim
