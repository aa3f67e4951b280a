#pragma once

#include <set>
#include <string>
#include <vector>

#include "config/load/problems.h"
#include "config/load/recipe_layers.h"
#include "config/paddlevit/paddlevit_schema.h"

// The keys below MODEL that only one family has (families/family.h), which the
// schema of paddlevit::Config does not know.
namespace vitrain::config::paddlevit {

// Value of MODEL.TYPE from the highest layer that sets it; PaddleViT's default
// is "vit".
struct Type {
  std::string text = "vit";
  Position position{"PaddleViT's default", 0, 0, Origin::kDefault};
};
Type type_of(const std::vector<Layer>& layers);

// HIDDEN_SIZE and MLP_DIM as the layers so far have them.
struct FirstWidths {
  double hidden = 768.0; // PaddleViT's default
  double mlp = 0.0; // 0: none has it
};

// Families with Family::vit_numbers: the keys of MODEL.TRANS, as files before
// 2022 have them, become MODEL's own. Returns whether there were any. `widths`
// goes from layer to layer, in their order.
bool flatten_trans(Layer& layer, FirstWidths& widths);

// Moves the keys of other families from `layer` to config.own. A section that
// the family lacks (TRANS of older files) is removed from a key's name. Adds
// unknown keys to `problems`, and every key with a problem to `wrong`.
void take_own_keys(
    Layer& layer,
    Config& config,
    Origins& origins,
    Problems& problems,
    std::set<std::string>& wrong);

// After all layers: that the numbers name a network, or a problem.
void check_own_keys(
    const Config& config,
    const Type& type,
    const Origins& origins,
    Problems& problems,
    std::set<std::string>& wrong);

// Keys that are set and do nothing.
void note_own_keys(
    const Config& config,
    const Type& type,
    const Origins& origins,
    std::vector<std::string>& notes);

} // namespace vitrain::config::paddlevit
