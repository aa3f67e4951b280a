#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/load/load_recipe.h"
#include "config/load/problems.h"
#include "config/sections/recipe.h"
#include "core/text/json.h"
#include "data/sources/labels/label_form.h"
#include "models/spec.h"

namespace vitrain::job {

// The record in a checkpoint of its network's input: channels, the values of
// config::preprocess_values() and class names. {"channels": 3, "keys":
// {"data.preprocess.mean": [...], ...}, "classes": ["cat", "dog"]} and
// "multi_label": true if an image has any number of labels; and "labels":
// "names" or "numbers", as in the training data, if a class name could be
// mistaken for the number of another class.
struct PreprocessRecord {
  std::string source; // of the weights, printable
  Json values;
  std::vector<std::string> classes;
  bool multi_label = false;
  data::LabelForm labels = data::LabelForm::kNone;
  // True if timm or transformers wrote it, into a config.json beside weights
  // without a record of ours. Names of classes may be of another kind there:
  // words for people, where the data has WordNet's numbers.
  bool published = false;
  std::string architecture; // timm's name of the network; "": not said
  std::vector<std::string> notes; // sentences: what of it cannot be used
};

// The record for the checkpoints of a run; null for networks of vectors.
// `labels` says how the training data wrote their labels.
Json preprocess_record(
    const config::Recipe& recipe,
    const models::ModelSpec& spec,
    const std::vector<std::string>& classes,
    data::LabelForm labels = data::LabelForm::kNone);

// The record of what model.pretrained names, which becomes the checkpoint
// folder that it means: that in the weights' own file, or what timm or
// transformers wrote into its folder, for training or for evaluation. None if
// no such file exists, or has a record. Throws Error(kWeights).
std::optional<PreprocessRecord> pretrained_record(
    config::ModelConfig& model,
    bool evaluates = true);

// Applies the record of the weights to the keys of the recipe that nobody has
// set: data.preprocess.*, model.image_size (in training only what is published;
// other weights' positions are resized and reported) and model.name, if the
// record says it. If weights are evaluated or exported, model.pretrained
// becomes the checkpoint that it means. Returns the record; notes get a
// sentence for every difference, also of keys that the recipe sets. Throws
// Error(kWeights).
std::optional<PreprocessRecord> use_record(
    bool evaluates,
    config::Recipe& recipe,
    config::Origins& origins,
    std::vector<std::string>& notes);

// Returns whether none of the data's names of classes is one of a published
// record's: the two are of different kinds. False where either has numbers.
bool have_other_names(
    const PreprocessRecord& record,
    const std::vector<std::string>& classes);

// Returns the first difference between the record's classes and the data's, as
// the begin of a sentence; "" if there is none, or no recorded classes. `data`
// is the key of the data. Classes with only numbers as names are compared by
// their count.
std::string class_difference(
    const PreprocessRecord& record,
    const std::string& data,
    const std::vector<std::string>& classes);

// Throws Error(kData) naming that difference from the classes of data.eval.
void check_classes(
    const PreprocessRecord& record,
    const std::vector<std::string>& classes);

// Returns a sentence if the names of a published record and of the data have
// nothing in common, so that only their order can be meant; "" otherwise.
std::string class_note(
    const PreprocessRecord& record,
    const std::string& data,
    const std::vector<std::string>& classes);

// For training, which may have other classes: returns a warning if the number
// of classes equals the record's but the names differ; otherwise, and for a
// fresh classifier, "".
std::string class_warning(
    const PreprocessRecord& record,
    const config::ModelConfig& model,
    const std::vector<std::string>& classes);

} // namespace vitrain::job
