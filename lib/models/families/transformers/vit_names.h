#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/spec.h"

// The names of vision transformers, of which parts say sizes and variants:
// vit_<size>_patch<P>[_<variant>...][_<image>] and
// deit[3]_<size>[_distilled]_patch<P>_<image>.
namespace vitrain::models::vit {

// How names of FlexiViT begin (Beyer et al., CVPR 2023).
inline constexpr std::string_view kFlexi = "flexivit_";

// timm's names, small to large and plain ones first.
std::vector<std::string> vit_names();
std::vector<std::string> deit_names();

// What such a name says, with any patch and image size; none where a part is
// not known.
std::optional<ModelSpec> find_vit(const std::string& name);
std::optional<ModelSpec> find_deit(const std::string& name);

} // namespace vitrain::models::vit
