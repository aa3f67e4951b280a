#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/load/problems.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// One value from the command line.
struct Override {
  // How `value` is written.
  enum class Form {
    kYaml, // a YAML scalar or flow list: -set
    kPlain, // the text itself, whatever characters it has
    kList, // items between commas
  };
  std::string key; // "optim.lr"
  std::string value;
  std::string source; // for messages: "-set #2", "-batch_size"
  Form form = Form::kYaml;
  Origin origin = Origin::kOption;
};

// Purpose of loading a recipe.
enum class RecipeUse { kTraining, kEvaluation, kLook };

struct LoadRequest {
  // Absent: defaults and overrides only.
  std::optional<std::filesystem::path> file;
  // Applied after the files, in order.
  std::vector<Override> overrides;
  // -data_path P: for kind folder P/train, and P/val when it exists, else
  // P/test; for kind list P/train_list.txt and P/val_list.txt; for kind cifar P
  // itself. Yields to `-set data.*.path=...`.
  std::optional<std::string> data_path;
  // True if `file` is the record of a run. User information in URLs, which
  // older versions recorded, is left out, with a note.
  bool is_record = false;
  // Values required for training are checked only for kTraining.
  RecipeUse use = RecipeUse::kTraining;
};

struct Loaded {
  Recipe recipe;
  Origins origins;
  // Sentences for the reader: keys of a PaddleViT file that have no effect.
  std::vector<std::string> notes;
};

// The recipe that defaults, `base:` files, the file and the overrides define; a
// PaddleViT file is translated (paddlevit.h).
// Throws Error(kUsage) whose text lists every problem of all of them, one per
// line. Ranges and types are checked here; relations between keys by
// validate().
Loaded load(const LoadRequest& request);

// A recipe from YAML text, as to_yaml() writes it; `name` stands for the file
// in messages. `base:` is refused. Throws as load() does.
Recipe from_yaml(std::string_view yaml, const std::string& name = "recipe");

} // namespace vitrain::config
