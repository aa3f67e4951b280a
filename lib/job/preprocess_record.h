#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/load_recipe.h"
#include "config/schema/problems.h"
#include "config/sections/recipe.h"
#include "core/json.h"
#include "data/sources/label_form.h"
#include "models/families/spec.h"

namespace vitrain::job {

// Record of the network's input in a checkpoint: channels, values of
// config::preprocess_values() and class names:
//   {"channels": 3, "keys": {"data.preprocess.mean": [...], ...},
//    "classes": ["cat", "dog"]}
// "multi_label": true is added if an image has any number of labels; "labels":
// "names" or "numbers" (as in the training data) if a class name could be
// mistaken for the number of another class.
struct PreprocessRecord {
  std::string source; // path of the weights, printable
  // Values by recipe key: "keys" of the record.
  Json values;
  std::vector<std::string> classes;
  bool multi_label = false;
  data::LabelForm labels = data::LabelForm::kNone;
  // True if timm or transformers wrote the record, as a config.json next to
  // weights without a record of ours. Its class names may be of another form:
  // readable words, where the data have WordNet ids.
  bool published = false;
  std::string architecture; // timm's name of the network; "": unknown
  // Sentences on parts of the record that cannot be used.
  std::vector<std::string> notes;
};

// Returns the record for the checkpoints of a run; JSON null for networks of
// vectors. `labels`: form of the labels in the training data.
Json preprocess_record(
    const config::Recipe& recipe,
    const models::ModelSpec& spec,
    const std::vector<std::string>& classes,
    data::LabelForm labels = data::LabelForm::kNone);

// Returns the record of the weights that model.pretrained names: from the
// weights file itself, or published_record(). If model.pretrained, which must
// be set, means a checkpoint, sets it to that folder. `evaluates`: for
// published_record(). Returns nullopt if the file does not exist or has no
// record. Throws Error(kWeights).
std::optional<PreprocessRecord> pretrained_record(
    config::ModelConfig& model,
    bool evaluates = true);

// Applies the record of the weights of model.pretrained, which must be set, to
// keys of the recipe that the user has not set: data.preprocess.*, model.name
// (if the record names a network that exists here) and model.image_size (in
// training, only from published records: with others, positions are resized,
// which is reported). If `evaluates` (also for exports), sets model.pretrained
// to the checkpoint that it means. Returns the record; nullopt if there is
// none, with unknown_images_note() as note if the weights exist. Adds a note
// for every difference, also for keys that the user has set. Throws
// Error(kWeights).
std::optional<PreprocessRecord> use_record(
    bool evaluates,
    config::Recipe& recipe,
    config::Origins& origins,
    std::vector<std::string>& notes);

// Returns true if the record is published and none of the data's class names is
// in it, so that the two use different forms of names. False if either has only
// numbers.
bool have_other_names(
    const PreprocessRecord& record,
    const std::vector<std::string>& classes);

// Returns the first difference between the record's and the data's classes, as
// the beginning of a sentence; "" if there is none, or if the record has no
// classes. `data`: key of the dataset. If either has only numbers as names, or
// have_other_names(), compares only the counts.
std::string class_difference(
    const PreprocessRecord& record,
    const std::string& data,
    const std::vector<std::string>& classes);

// Throws Error(kData) with class_difference() for data.eval, if there is one.
void check_classes(
    const PreprocessRecord& record,
    const std::vector<std::string>& classes);

// Returns a note if have_other_names() and the numbers of classes are equal, so
// that classes are matched by their order; "" otherwise.
std::string class_note(
    const PreprocessRecord& record,
    const std::string& data,
    const std::vector<std::string>& classes);

// For training, which may use other classes: returns a warning if the number of
// classes equals the record's but the names differ. Returns "" otherwise, if
// the names have different forms (class_note()), and with model.head_init:
// fresh.
std::string class_warning(
    const PreprocessRecord& record,
    const config::ModelConfig& model,
    const std::vector<std::string>& classes);

} // namespace vitrain::job
