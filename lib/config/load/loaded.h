#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/schema/problems.h"
#include "config/sections/recipe.h"

namespace vitrain::config {

// One value from the command line.
struct Override {
  // Notation of `value`.
  enum class Form {
    kYaml, // YAML scalar or flow list, as for -set
    kPlain, // literal text, for keys of text also if it is `null`
    kList, // items separated by commas; "": an empty list
  };
  std::string key; // "optim.lr"
  std::string value;
  std::string source; // for messages: "-set #2", "-batch_size"
  Form form = Form::kYaml;
  Origin origin = Origin::kOption;
};

// Purpose of loading a recipe; kLook: any other.
enum class RecipeUse { kTraining, kEvaluation, kLook };

struct LoadRequest {
  // nullopt: no files.
  std::optional<std::filesystem::path> file;
  // Applied after the files, in order.
  std::vector<Override> overrides;
  // Value P of -data_path. Kind folder: P/train, and P/val, or P/test if only
  // that exists. Kinds tar and vectors: the same names with .tar (or a folder
  // if there is no such file) and with .npy (or .csv). Kind list:
  // P/train_list.txt and P/val_list.txt; train.csv or val.csv where only that
  // exists. Kinds cifar and mnist: P itself; shapes and random: unused. If P is
  // the training data, its parent takes the place of P; with data.split, P may
  // be the whole dataset instead. `-set data.*.path=...` takes precedence.
  std::optional<std::string> data_path;
  // True if `file` is the record of a run: user information in URLs, which
  // older versions recorded, is removed, with a note.
  bool is_record = false;
  // PaddleViT values that cannot be trained are problems for kTraining, notes
  // for kLook and ignored for kEvaluation, which also has no notes on unused
  // keys.
  RecipeUse use = RecipeUse::kTraining;
};

struct Loaded {
  Recipe recipe;
  Origins origins;
  // Sentences for the user, such as keys that have no effect.
  std::vector<std::string> notes;
};

// A file of a recipe, and the value of model.name after the file was applied;
// for PaddleViT files, after all of them.
struct FileLayer {
  std::string source;
  std::string model;
};

// A recipe of which some values may not have been read.
struct PartialRecipe : Loaded {
  std::vector<FileLayer> files; // lowest precedence first
  // Keys and sections whose values are unknown because a file, or a value that
  // sets them, could not be read. Rules about them are skipped.
  std::set<std::string> unread;

  // Returns the number of the layer of a position: 0 for defaults and unknown
  // files, files from 1, then named options, then -set.
  std::size_t layer_of(const Position& position) const;
};

} // namespace vitrain::config
