#include "job/prepare/preprocess_record.h"

#include <algorithm>
#include <filesystem>

#include "checkpoint/manifest.h"
#include "checkpoint/read_preprocess.h"
#include "config/rules/validate.h"
#include "config/schema/preprocess_values.h"
#include "core/check.h"
#include "core/text/json_reader.h"
#include "core/text/text.h"
#include "data/sources/labels/class_names.h"
#include "job/prepare/find_weights.h"
#include "models/families/family.h"

namespace vitrain::job {
namespace {

constexpr const char* kImageSize = "model.image_size";

// Says where the names of the record's and the data's classes begin to differ;
// "" where they do not, where one of them has only numbers for names, or where
// their counts are different. `data` is the key of the data.
std::string other_class(
    const PreprocessRecord& record,
    const std::string& data,
    const std::vector<std::string>& classes) {
  if (classes.size() != record.classes.size() || data::are_numbers(classes) ||
      data::are_numbers(record.classes)) {
    return "";
  }
  // Records are JSON, in which bytes that are no UTF-8 are U+FFFD.
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

// Whether images have any number of labels, as the record of `source` says.
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

std::optional<PreprocessRecord> pretrained_record(config::ModelConfig& model) {
  std::filesystem::path path = *model.pretrained;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return std::nullopt; // who loads it says so; other machines need not
  }
  if (is_checkpoint_path(path)) {
    path = find_checkpoint(path, /*best=*/true);
    model.pretrained = path.native();
    path /= checkpoint::kModelFile;
  }
  const Json json = checkpoint::read_preprocess(path);
  if (json.is_null()) {
    return std::nullopt;
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
  std::optional<PreprocessRecord> record = pretrained_record(model);
  if (!record) {
    return std::nullopt;
  }
  const auto named = models::find_model(model.name);
  const bool as_named = !model.image_size && named &&
      record->values.value(kImageSize, Json()) == named->image_size.height;
  if (as_named || !evaluates) { // resized position embeddings are reported
    record->values.erase(kImageSize);
  }
  const std::vector<std::string> differences = config::use_preprocess_values(
      record->values,
      record->source,
      evaluates ? config::PreprocessUse::kAdopt
                : config::PreprocessUse::kCompare,
      recipe,
      origins);
  notes.insert(notes.end(), differences.begin(), differences.end());
  if (evaluates) {
    recipe.model.pretrained = model.pretrained;
  }
  return record;
}

std::string class_difference(
    const PreprocessRecord& record,
    const std::string& data,
    const std::vector<std::string>& classes) {
  if (record.classes.empty()) { // of a network without classifier
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

void check_classes(
    const PreprocessRecord& record,
    const std::vector<std::string>& classes) {
  constexpr const char* kRemedy =
      "take data with its classes in the same order, or set "
      "eval.check_classes: false where only the names differ";
  const std::string other = class_difference(record, "data.eval", classes);
  const bool named = classes.size() == record.classes.size();
  VITRAIN_CHECK_DATA(
      other.empty(), "{}{}{}", other, named ? ": " : "", named ? kRemedy : "");
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
