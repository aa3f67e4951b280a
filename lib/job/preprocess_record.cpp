#include "job/preprocess_record.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "checkpoint/manifest.h"
#include "checkpoint/read_preprocess.h"
#include "config/load/preprocess_values.h"
#include "config/rules/validate.h"
#include "core/check.h"
#include "core/json_reader.h"
#include "core/text.h"
#include "data/sources/class_names.h"
#include "job/find_weights.h"
#include "job/published_record.h"
#include "models/families/family.h"
#include "models/rules.h"

namespace vitrain::job {

bool have_other_names(
    const PreprocessRecord& record,
    const std::vector<std::string>& classes) {
  const std::set<std::string> known(
      record.classes.begin(), record.classes.end());
  return record.published && !data::are_numbers(classes) &&
      !data::are_numbers(record.classes) &&
      std::ranges::none_of(classes, [&](const std::string& name) {
           return known.contains(name);
         });
}

namespace {

constexpr const char* kImageSize = "model.image_size";
constexpr const char* kModelName = "model.name";

// Returns a text with the first difference between the class names of the
// record and of the data; "" if there is none, if either side has only numbers
// as names, if have_other_names(), or if their counts differ. `data`: key of
// the dataset.
std::string other_class(
    const PreprocessRecord& record,
    const std::string& data,
    const std::vector<std::string>& classes) {
  if (classes.size() != record.classes.size() || data::are_numbers(classes) ||
      data::are_numbers(record.classes) || have_other_names(record, classes)) {
    return "";
  }
  // Records are JSON, in which invalid UTF-8 is replaced by U+FFFD.
  const auto in_record = [](const std::string& name) {
    return to_line(Json(name));
  };
  const auto differs =
      std::ranges::mismatch(classes, record.classes, {}, in_record, in_record);
  return differs.in1 == classes.end()
      ? ""
      : fmt::format(
            "class {} of {} is '{}', and {} was trained with '{}' there",
            differs.in1 - classes.begin(),
            data,
            printable(*differs.in1),
            record.source,
            printable(*differs.in2));
}

// Returns the value of a record's key multi_label. Throws Error(kWeights) if it
// is no boolean. `source` is for messages.
bool is_multi_label(const Json& value, const std::string& source) {
  VITRAIN_CHECK(
      value.is_boolean(),
      ExitCode::kWeights,
      "{}: its record of pre-processing cannot be read: 'multi_label' is {}, "
      "not true or false",
      source,
      printable(to_line(value).substr(0, 80)));
  return value.get<bool>();
}

// Sets model.name to the network that the record names, if it exists here and
// the user has set none. Adds a note if the two names differ.
void use_architecture(
    const PreprocessRecord& record,
    config::Recipe& recipe,
    config::Origins& origins,
    std::vector<std::string>& notes) {
  std::string& name = recipe.model.name;
  if (record.architecture.empty() || record.architecture == name) {
    return;
  }
  const auto origin = origins.find(kModelName);
  if (origin != origins.end() &&
      origin->second.origin != config::Origin::kDefault) {
    notes.push_back(fmt::format(
        "{}: {} ({}), but {} is of {}",
        kModelName,
        printable(name),
        origin->second.text(),
        record.source,
        printable(record.architecture)));
  } else if (models::find_model(record.architecture)) {
    name = record.architecture;
    origins[kModelName] = {record.source, 0, 0, config::Origin::kOption};
    notes.push_back(
        fmt::format("{}: {}, as {} says", kModelName, name, record.source));
  } else {
    notes.push_back(fmt::format(
        "warning: {} is of the network '{}', which `vitrain models` does not "
        "list: {} stays {}",
        record.source,
        printable(record.architecture),
        kModelName,
        printable(name)));
  }
}

} // namespace

Json preprocess_record(
    const config::Recipe& recipe,
    const models::ModelSpec& spec,
    const std::vector<std::string>& classes,
    data::LabelForm labels) {
  if (spec.features > 0) {
    return nullptr;
  }
  config::Recipe resolved = recipe;
  resolved.model.image_size = spec.image_size;
  Json record{
      {"channels", spec.channels},
      {"keys", config::preprocess_values(resolved)},
      {"classes", classes}};
  if (recipe.data.eval.multi_label) {
    record["multi_label"] = true;
  }
  if (labels != data::LabelForm::kNone && data::have_numeric_names(classes)) {
    record["labels"] = name_of(labels);
  }
  return record;
}

std::optional<PreprocessRecord> pretrained_record(
    config::ModelConfig& model,
    bool evaluates) {
  std::filesystem::path path = *model.pretrained;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return std::nullopt; // the machine that loads it reports the error
  }
  if (is_checkpoint_path(path)) {
    path = find_checkpoint(path, /*best=*/true);
    model.pretrained = path.native();
    path /= checkpoint::kModelFile;
  }
  const Json json = checkpoint::read_preprocess(path);
  if (json.is_null()) {
    return published_record(path, evaluates);
  }
  PreprocessRecord record{.source = printable(*model.pretrained)};
  const JsonReader reader(
      json,
      record.source + ": its record of pre-processing cannot be read",
      ExitCode::kWeights);
  record.values = reader.object("keys").json();
  record.classes = reader.texts("classes");
  if (reader.has("multi_label")) {
    record.multi_label = is_multi_label(json.at("multi_label"), record.source);
  }
  if (reader.has("labels")) {
    record.labels = value_of<data::LabelForm>(reader.text("labels"))
                        .value_or(data::LabelForm::kNone);
  }
  return record;
}

std::optional<PreprocessRecord> use_record(
    bool evaluates,
    config::Recipe& recipe,
    config::Origins& origins,
    std::vector<std::string>& notes) {
  config::ModelConfig model = recipe.model;
  std::optional<PreprocessRecord> record = pretrained_record(model, evaluates);
  if (!record) {
    std::error_code error;
    if (std::filesystem::exists(*model.pretrained, error)) {
      if (auto note = unknown_images_note(*model.pretrained, recipe, origins);
          !note.empty()) {
        notes.push_back(std::move(note));
      }
    }
    return std::nullopt;
  }
  notes.insert(notes.end(), record->notes.begin(), record->notes.end());
  use_architecture(*record, recipe, origins, notes);
  const auto named = models::find_model(recipe.model.name);
  const bool as_named = !model.image_size && named &&
      record->values.value(kImageSize, Json()) == named->image_size.height;
  if (as_named || (!evaluates && !record->published)) {
    record->values.erase(kImageSize);
  }
  const std::vector<std::string> differences = config::use_preprocess_values(
      record->values,
      record->source,
      config::PreprocessUse::kAdopt,
      recipe,
      origins);
  notes.insert(notes.end(), differences.begin(), differences.end());
  models::average_colours(recipe, notes);
  if (evaluates) {
    recipe.model.pretrained = model.pretrained;
  }
  return record;
}

std::string class_difference(
    const PreprocessRecord& record,
    const std::string& data,
    const std::vector<std::string>& classes) {
  if (record.classes.empty()) { // the network has no classifier
    return "";
  }
  return classes.size() == record.classes.size()
      ? other_class(record, data, classes)
      : fmt::format(
            "{} has {} classes, and {} was trained with {}",
            data,
            with_commas(std::ssize(classes)),
            record.source,
            with_commas(std::ssize(record.classes)));
}

std::string class_note(
    const PreprocessRecord& record,
    const std::string& data,
    const std::vector<std::string>& classes) {
  if (classes.size() != record.classes.size() ||
      !have_other_names(record, classes)) {
    return "";
  }
  return fmt::format(
      "{} calls its classes '{}' to '{}', and {} '{}' to '{}': they are taken "
      "to be the same in this order",
      record.source,
      printable(record.classes.front()),
      printable(record.classes.back()),
      data,
      printable(classes.front()),
      printable(classes.back()));
}

void check_classes(
    const PreprocessRecord& record,
    const std::vector<std::string>& classes) {
  const std::string other = class_difference(record, "data.eval", classes);
  const bool named = classes.size() == record.classes.size();
  VITRAIN_CHECK_DATA(
      other.empty(),
      "{}: take data with its classes in the same order, or name all of them "
      "in "
      "order, one per line, in a file that data.eval.class_map names{}",
      other,
      named ? ", or set eval.check_classes: false where only the names differ"
            : "");
}

std::string class_warning(
    const PreprocessRecord& record,
    const config::ModelConfig& model,
    const std::vector<std::string>& classes) {
  const std::string other = other_class(record, "data.train", classes);
  return other.empty() || model.head_init == config::HeadInit::kFresh
      ? ""
      : fmt::format(
            "warning: {}: the classifier that is loaded gives its classes "
            "other numbers (model.head_init: fresh starts a new one)",
            other);
}

} // namespace vitrain::job
