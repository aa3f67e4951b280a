#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/schema/document.h"

namespace vitrain::config {

// One file of a recipe.
struct Layer {
  std::string source; // name in messages
  Node root; // a map
  Origin origin = Origin::kFile;
};

// Layers of a file, in the order in which they apply: first the layers of each
// file in its `base:` (PaddleViT: `BASE:`), in order, then the file itself.
// Paths in `base:` are relative to the file that contains them.
struct FileLayers {
  std::vector<Layer> layers;
  bool complete = true; // false: a file or name in `base:` was left out
  bool without_user_info = false; // user information was removed from a URL
};
// Reads the layers of `file`. Leaves out, and adds to `problems`, files that
// cannot be read, exceed 1 MiB or are not a map of keys, wrong values of
// `base:`, cycles, chains deeper than 16 and files after the first 100.
// `is_record`: remove the user information of URLs.
FileLayers read_layers(
    const std::filesystem::path& file,
    Problems& problems,
    bool is_record = false);

// Returns true if a document is a map of keys; otherwise adds a problem, at the
// document's position in `source`.
bool is_recipe(const Node& root, const std::string& source, Problems& problems);

} // namespace vitrain::config
