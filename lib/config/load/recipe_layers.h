#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/load/document.h"

namespace vitrain::config {

// One file of a recipe.
struct Layer {
  std::string source; // as messages name it
  Node root; // a map
  Origin origin = Origin::kFile;
};

// The layers that `file` consists of, in the order in which they apply: for
// each entry of `base:` (PaddleViT: `BASE:`), in order, its layers; then the
// file itself. Entries are relative to the file that names them. Files that
// cannot be read, cycles and chains deeper than 16 are added to `problems`.
struct FileLayers {
  std::vector<Layer> layers;
  bool complete = true; // false: one could not be read at all
  bool without_user_info = false; // some URL had it
};
// `is_record`: user information of URLs is left out.
FileLayers read_layers(
    const std::filesystem::path& file,
    Problems& problems,
    bool is_record = false);

// Adds a problem when a document is not a map of keys.
bool is_recipe(const Node& root, const std::string& source, Problems& problems);

} // namespace vitrain::config
