#include "config/load/preprocess_values.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/schema/schema.h"
#include "config/schema/values.h"
#include "core/check.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

bool is_preprocess_key(const std::string& path) {
  return path.starts_with("data.preprocess.") || path == "model.image_size";
}

Json to_json(const Scalar& scalar) {
  return std::visit(
      [](const auto& value) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, Duration>) {
          return value.text();
        } else {
          return value;
        }
      },
      scalar);
}

Json to_json(const Field& field) {
  const Setting setting = field.get();
  if (!setting) {
    return nullptr;
  }
  if (!field.writes_list(*setting)) {
    return to_json(setting->front());
  }
  Json list = Json::array();
  for (const Scalar& item : *setting) {
    list.push_back(to_json(item));
  }
  return list;
}

// Sets a field to a value from preprocess_values(). Throws Error(kWeights) if
// the field does not accept it.
void set(const Field& field, const Json& value, const std::string& source) {
  std::string problem = "cannot be read";
  Problems ignored;
  const std::string text = value.is_null() ? field.none : to_line(value);
  if (const auto node = parse_document(text, source, ignored)) {
    const std::optional<std::string> refused = read_value(field, *node);
    if (!refused) {
      return;
    }
    problem = *refused;
  }
  fail(
      ExitCode::kWeights,
      "{}: its record of {}: {}",
      source,
      field.path,
      problem);
}

// Adds values that older records omit because vitrain had only one choice then.
Json with_older_ways(Json values) {
  values.emplace("data.preprocess.pillow", 12);
  return values;
}

// Returns the position at which the user set a key; null if the user did not.
const Position* place_of(const Origins& origins, const std::string& key) {
  const auto origin = origins.find(key);
  return origin == origins.end() || origin->second.origin == Origin::kDefault
      ? nullptr
      : &origin->second;
}

// Returns the position at which the user set a key or its equivalent (`resize`
// and `crop_pct` both determine the size to which evaluation resizes an image);
// null if neither is set.
const Position* set_by(const Origins& origins, const std::string& key) {
  constexpr const char* kCrop = "data.preprocess.crop_pct";
  constexpr const char* kResize = "data.preprocess.resize";
  const Position* own = place_of(origins, key);
  return own != nullptr ? own
      : key == kCrop    ? place_of(origins, kResize)
      : key == kResize  ? place_of(origins, kCrop)
                        : nullptr;
}

} // namespace

Json preprocess_values(const Recipe& original) {
  Recipe recipe = original;
  Json values = Json::object();
  for (const Field& field : schema_of(recipe).fields) {
    if (is_preprocess_key(field.path)) {
      values[field.path] = to_json(field);
    }
  }
  return values;
}

std::vector<std::string> use_preprocess_values(
    const Json& values,
    const std::string& source,
    PreprocessUse use,
    Recipe& recipe,
    Origins& origins) {
  std::vector<std::string> notes;
  const Schema schema = schema_of(recipe);
  const Json ways = with_older_ways(values);
  // Origins before this call: those set by the user.
  const Origins before = origins;
  for (const auto& [key, value] : ways.items()) {
    const auto field = std::ranges::find(schema.fields, key, &Field::path);
    VITRAIN_CHECK(
        field != schema.fields.end() && is_preprocess_key(key),
        ExitCode::kWeights,
        "{}: was trained with a value of {}, which this version does not know",
        source,
        printable(key));
    const Setting own = field->get();
    const std::string own_text = write_value(*field);
    set(*field, value, source);
    const std::string text = write_value(*field);
    if (text == own_text) {
      continue;
    }
    const Position* by = set_by(before, key);
    if (use == PreprocessUse::kAdopt && by == nullptr) {
      origins[key] = {source, 0, 0, Origin::kOption};
      notes.push_back(fmt::format(
          "{}: {}, as {} was trained (not {}, the default)",
          key,
          text,
          source,
          own_text));
      continue;
    }
    field->set(own);
    notes.push_back(fmt::format(
        "{}: {} ({}), but {} was trained with {}",
        key,
        own_text,
        by == nullptr ? "the default" : by->text(),
        source,
        text));
  }
  return notes;
}

} // namespace vitrain::config
