#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/families/spec.h"

// Names of vision transformers: vit_<size>_patch<P>[_<variant>...][_<image>]
// and deit[3]_<size>[_distilled]_patch<P>_<image>.
namespace vitrain::models::vit {

// Name prefix of FlexiViT (Beyer et al., CVPR 2023).
inline constexpr std::string_view kFlexi = "flexivit_";

// Return the names that `vitrain models` lists, a subset of those that the
// functions below accept.
std::vector<std::string> vit_names();
std::vector<std::string> deit_names();

// Returns the spec of a name with any patch and image size; nullopt if a part
// of the name is unknown.
std::optional<ModelSpec> find_vit(const std::string& name);
std::optional<ModelSpec> find_deit(const std::string& name);

} // namespace vitrain::models::vit
