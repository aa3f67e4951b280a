#include "config/sections/augment_stage.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "config/schema/document.h"
#include "config/schema/schema.h"
#include "config/schema/suggest.h"
#include "config/schema/values.h"
#include "config/sections/recipe.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

constexpr const char* kFirst = "from_epoch";
constexpr const char* kSection = "data.augment.";
constexpr const char* kStages = "data.augment.stages";
// The only key that belongs to another section.
constexpr const char* kBatch = "batch_size";

// Applies a key to the recipe. Returns "" on success, otherwise the mistake.
std::string take_key(const Node::Entry& entry, const Schema& schema) {
  const std::string path =
      entry.key == kBatch ? "data.batch_size" : kSection + entry.key;
  const auto field = std::ranges::find(schema.fields, path, &Field::path);
  if (path == kStages || field == schema.fields.end()) {
    return fmt::format(
        "data.augment has no {}{}",
        printable(entry.key),
        path == kStages ? " in a stage" : suggestion(schema, path));
  }
  const std::optional<std::string> problem = read_value(*field, entry.value);
  return problem ? fmt::format("{}: {}", entry.key, *problem) : "";
}

std::string
read_stage(const std::string& text, std::int64_t& first, Recipe& recipe) {
  Problems problems;
  const std::optional<Node> node = parse_document(text, "", problems);
  if (!node || node->kind != Node::Kind::kMap) {
    return "it is no map like {from_epoch: 31, image_size: 192}";
  }
  const Schema schema = schema_of(recipe);
  for (const Node::Entry& entry : node->entries) {
    if (entry.key == kFirst) {
      const bool good = entry.value.kind == Node::Kind::kScalar &&
          parse_int(entry.value.text, first) && first >= 2;
      if (!good) {
        return "from_epoch is the number of an epoch, from 2: the keys "
               "themselves are for the first";
      }
    } else if (std::string fault = take_key(entry, schema); !fault.empty()) {
      return fault;
    }
  }
  if (first == 0) {
    return "it has no from_epoch";
  }
  return node->entries.size() > 1 ? "" : "it changes nothing";
}

} // namespace

std::string validate_augment_stage(const std::string& text) {
  Recipe recipe;
  std::int64_t first = 0;
  return read_stage(text, first, recipe);
}

std::int64_t take_augment_stage(const std::string& text, Recipe& recipe) {
  std::int64_t first = 0;
  read_stage(text, first, recipe);
  return first;
}

} // namespace vitrain::config
