#include "config/load/writer.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include <fmt/format.h>

#include "config/schema/schema.h"
#include "config/schema/suggest.h"
#include "config/schema/text_rules.h"
#include "config/schema/values.h"
#include "core/check.h"
#include "core/hash.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

// Column of comments, for lines that end before it.
constexpr std::size_t kCommentColumn = 44;

std::string indent_of(std::size_t levels) {
  return std::string(2 * levels, ' ');
}

// Returns the recipe as YAML. `comment_of` returns the comment after a key's
// value ("": none), or nullopt to omit the key. Throws Error(kUsage) if a URL
// has user information.
std::string write(
    const Recipe& original,
    const std::function<std::optional<std::string>(const std::string& key)>&
        comment_of) {
  Recipe recipe = original;
  const Schema schema = schema_of(recipe);
  std::string text;
  std::vector<std::string> open; // sections that contain the current line
  for (const Field& field : schema.fields) {
    const std::optional<std::string> comment = comment_of(field.path);
    if (!comment) {
      continue;
    }
    std::vector<std::string> names = split(field.path, '.');
    names.pop_back();
    std::size_t shared = 0;
    while (shared < std::min(open.size(), names.size()) &&
           open[shared] == names[shared]) {
      ++shared;
    }
    for (std::size_t level = shared; level < names.size(); ++level) {
      text += fmt::format("{}{}:\n", indent_of(level), names[level]);
    }
    open = std::move(names);
    const std::string value = write_value(field);
    const std::string refusal = refuse_user_info(field, value);
    VITRAIN_CHECK(
        refusal.empty(), ExitCode::kUsage, "{}: {}", field.path, refusal);
    std::string line = fmt::format(
        "{}{}: {}", indent_of(open.size()), leaf_of(field.path), value);
    if (!comment->empty()) {
      line.resize(std::max(line.size() + 2, kCommentColumn), ' ');
      line += "# " + *comment;
    }
    text += line + "\n";
  }
  return text;
}

bool changes_training(const std::string& path) {
  constexpr std::array<std::string_view, 13> kNeutral{
      "run.name",
      "run.output",
      "run.max_restarts",
      "run.stop_after",
      "run.max_time",
      "checkpoint.async",
      "checkpoint.mirror",
      "devices.", // may differ between machines; the world size is checked
      "log.",
      "data.threads",
      "data.decode_memory_mb",
      "dist.timeouts.",
      "dist.check_every"};
  return std::ranges::none_of(kNeutral, [&](std::string_view neutral) {
    return neutral.ends_with('.') ? path.starts_with(neutral) : path == neutral;
  });
}

} // namespace

std::string to_yaml(const Recipe& recipe) {
  return write(recipe, [](const std::string&) { return ""; });
}

std::string to_yaml(const Recipe& recipe, const Origins& origins) {
  return write(recipe, [&](const std::string& key) {
    const auto origin = origins.find(key);
    return origin == origins.end() ? "default" : origin->second.text();
  });
}

std::string to_yaml(
    const Recipe& recipe,
    const std::map<std::string, std::string>& comments) {
  return write(recipe, [&](const std::string& key) {
    const auto comment = comments.find(key);
    return comment == comments.end() ? std::nullopt
                                     : std::optional(comment->second);
  });
}

std::map<std::string, std::string> recipe_values(const Recipe& original) {
  Recipe recipe = original;
  std::map<std::string, std::string> values;
  for (const Field& field : schema_of(recipe).fields) {
    if (changes_training(field.path)) {
      values[field.path] = write_value(field);
    }
  }
  return values;
}

std::vector<Difference> differences(const Recipe& before, const Recipe& after) {
  std::array<Recipe, 2> recipes{before, after};
  const Schema first = schema_of(recipes[0]);
  const Schema second = schema_of(recipes[1]);
  std::vector<Difference> list;
  for (std::size_t i = 0; i < first.fields.size(); ++i) {
    const std::string& key = first.fields[i].path;
    std::string value = write_value(first.fields[i]);
    std::string other = write_value(second.fields[i]);
    if (value != other) {
      list.push_back(
          {key, std::move(value), std::move(other), changes_training(key)});
    }
  }
  return list;
}

std::string recipe_hash(const Recipe& original) {
  Recipe recipe = original;
  std::string text;
  for (const Field& field : schema_of(recipe).fields) {
    if (changes_training(field.path)) {
      text += field.path + "=" + write_value(field) + "\n";
    }
  }
  return to_hex(hash64(text));
}

} // namespace vitrain::config
