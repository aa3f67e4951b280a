#pragma once

#include <set>
#include <string>
#include <vector>

#include "config/load/recipe_layers.h"
#include "config/paddlevit/paddlevit_keys.h"
#include "config/schema/problems.h"

// Keys below MODEL that only some families have: a family's own keys
// (PaddleFamily::keys), which are not in the schema of paddlevit::Config.
namespace vitrain::config::paddlevit {

// Value of MODEL.TYPE and its position.
struct Type {
  std::string text = "vit";
  Position position{"PaddleViT's default", 0, 0, Origin::kDefault};
};
// Returns the type from the last of the layers that sets it; else the default.
Type type_of(const std::vector<Layer>& layers);

// Widths below MODEL.TRANS, as set by the layers read so far.
struct FirstWidths {
  double hidden = 768.0; // HIDDEN_SIZE or EMBED_DIM; PaddleViT's default
  double mlp = 0.0; // MLP_DIM; 0: not set
};

// For families with PaddleFamily::vit_numbers: moves the keys of MODEL.TRANS, a
// section of files before 2022, to MODEL, renames them, and replaces MLP_DIM by
// MLP_RATIO = MLP_DIM / HIDDEN_SIZE, unless the layer sets MLP_RATIO. The two
// widths may be in different layers: `widths` carries them, so call it for the
// layers in order. Returns true if the layer had this section.
bool flatten_trans(Layer& layer, FirstWidths& widths);

// Moves the own keys of config.family from `layer` to config.own.
// MODEL.TRANS.X, from older files, is the key X if the family has no key
// TRANS.X. Keys that the family does not have, and maps for values, are removed
// from the layer too; they are added to `problems` and `wrong`.
void take_own_keys(
    Layer& layer,
    Config& config,
    Origins& origins,
    Problems& problems,
    std::set<std::string>& wrong);

// Checks config.own: adds a problem for each key of role kOnly that does not
// have its default, and one for MODEL.TYPE if there is no config.network().
// Adds these keys to `wrong`. Keys without an origin are reported at
// type.position.
void check_own_keys(
    const Config& config,
    const Type& type,
    const Origins& origins,
    Problems& problems,
    std::set<std::string>& wrong);

// Adds the family's note, and notes on its own keys that are set but have no
// effect: of role kIdle, and of kStart with another value than the network's.
void note_own_keys(
    const Config& config,
    const Type& type,
    const Origins& origins,
    std::vector<std::string>& notes);

} // namespace vitrain::config::paddlevit
