#pragma once

#include <set>
#include <string>
#include <vector>

#include "config/load/recipe_layers.h"
#include "config/paddlevit/paddlevit_schema.h"
#include "config/schema/problems.h"

// Keys below MODEL that only one family has (paddle_family.h) and that
// are not in the schema of paddlevit::Config.
namespace vitrain::config::paddlevit {

// Value of MODEL.TYPE from the highest layer that sets it; PaddleViT's default
// is "vit".
struct Type {
  std::string text = "vit";
  Position position{"PaddleViT's default", 0, 0, Origin::kDefault};
};
Type type_of(const std::vector<Layer>& layers);

// HIDDEN_SIZE and MLP_DIM, as set by the layers read so far.
struct FirstWidths {
  double hidden = 768.0; // PaddleViT's default
  double mlp = 0.0; // 0: not set
};

// For families with PaddleFamily::vit_numbers: moves the keys of MODEL.TRANS, a
// section of files before 2022, to MODEL, renames them, and replaces MLP_DIM by
// MLP_RATIO = MLP_DIM / HIDDEN_SIZE. These two may be in different layers:
// `widths` carries them, so call it for the layers in order. Returns true if
// the layer had this section.
bool flatten_trans(Layer& layer, FirstWidths& widths);

// Moves keys that only the config's family has from `layer` to config.own. A
// section that the family lacks (TRANS of older files) is removed from a key's
// name. Adds unknown keys to `problems`, and every key with a problem to
// `wrong`.
void take_own_keys(
    Layer& layer,
    Config& config,
    Origins& origins,
    Problems& problems,
    std::set<std::string>& wrong);

// Adds a problem if the numbers of all layers do not describe a network.
void check_own_keys(
    const Config& config,
    const Type& type,
    const Origins& origins,
    Problems& problems,
    std::set<std::string>& wrong);

// Adds notes on keys that are set but have no effect.
void note_own_keys(
    const Config& config,
    const Type& type,
    const Origins& origins,
    std::vector<std::string>& notes);

} // namespace vitrain::config::paddlevit
