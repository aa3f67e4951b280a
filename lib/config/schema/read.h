#pragma once

#include <set>
#include <string>
#include <vector>

#include "config/load/load_recipe.h"

namespace vitrain::config {

// A file of a recipe, and the value of model.name after the file was applied.
struct FileLayer {
  std::string source;
  std::string model;
};

// A recipe of which some values may not have been read.
struct Reading : Loaded {
  std::vector<FileLayer> files; // lowest first
  // Keys and sections whose values are unknown because something could not be
  // read. Rules about them are skipped.
  std::set<std::string> unread;

  // Returns the number of the layer of a position: files from 1, then named
  // options, then -set.
  std::size_t layer_of(const Position& position) const;
};

// Same as load(), but adds mistakes to `problems` instead of throwing, for
// callers with further checks.
Reading read(const LoadRequest& request, Problems& problems);

} // namespace vitrain::config
