#include "config/foreign/foreign_args.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"
#include "core/url.h"

namespace vitrain::config::foreign {
namespace {

bool is_true(const Node& node) {
  return node.text == "true" || node.text == "True";
}

// Returns the expected type if `node` is not a value of type `takes`; otherwise
// "".
std::string fault_of(Takes takes, const Node& node) {
  std::int64_t integer = 0;
  double number = 0.0;
  const bool scalar = node.kind == Node::Kind::kScalar;
  switch (takes) {
    case Takes::kFlag:
      return scalar &&
              (is_true(node) || node.text == "false" || node.text == "False")
          ? ""
          : "true or false";
    case Takes::kInteger:
    case Takes::kIntegers:
      return scalar && parse_int(node.text, integer) ? "" : "an integer";
    case Takes::kNumber:
    case Takes::kNumbers:
      return scalar && parse_double(node.text, number) ? "" : "a number";
    case Takes::kText:
    case Takes::kTexts:
      return scalar ? "" : "a text";
    case Takes::kMap:
      return node.kind == Node::Kind::kMap ? "" : "names with values";
  }
  return "";
}

std::string text_of(const Node& node) {
  std::vector<std::string> parts;
  switch (node.kind) {
    case Node::Kind::kNull:
      return "null";
    case Node::Kind::kScalar:
      return printable(node.text);
    case Node::Kind::kList:
      for (const Node& item : node.items) {
        parts.push_back(text_of(item));
      }
      return "[" + join(parts, ", ") + "]";
    case Node::Kind::kMap:
      for (const Node::Entry& entry : node.entries) {
        parts.push_back(printable(entry.key) + ": " + text_of(entry.value));
      }
      return "{" + join(parts, ", ") + "}";
  }
  return "";
}

// Returns true if the value of an unknown argument requests nothing: null,
// false, or an empty text, list or map.
bool is_off(const Node& node) {
  return node.text == "false" || node.text == "False" ||
      (node.text.empty() && node.items.empty() && node.entries.empty());
}

// Returns true if two values are equal, even if they are written differently.
bool same(const Node& a, const Node& b) {
  double x = 0.0;
  double y = 0.0;
  if (a.kind == Node::Kind::kScalar && b.kind == Node::Kind::kScalar) {
    return a.text == b.text || (is_true(a) && is_true(b)) ||
        (parse_double(a.text, x) && parse_double(b.text, y) && x == y);
  }
  return a.kind == b.kind && std::ranges::equal(a.items, b.items, same) &&
      std::ranges::equal(
             a.entries, b.entries, [](const auto& one, const auto& other) {
               return one.key == other.key && same(one.value, other.value);
             });
}

} // namespace

Words::Words(const Program& program) : program_(&program) {
  std::string defaults;
  for (const Word& word : program.words) {
    defaults += fmt::format("{}: {}\n", word.name, word.initial);
  }
  Problems none;
  const std::optional<Node> root =
      parse_document(defaults, std::string(program.name), none);
  assert(root && none.empty());
  for (const Node::Entry& entry : root->entries) {
    initial_.emplace(entry.key, entry.value);
  }
}

void Words::set(
    const Word& word,
    Node value,
    const std::string& source,
    Problems& problems) {
  const Position place{source, value.line, value.column};
  if (value.kind == Node::Kind::kNull) {
    return; // keeps the default
  }
  const bool list = takes_list(word.takes);
  if (list && value.kind == Node::Kind::kScalar) {
    Node item = std::exchange(value, {.kind = Node::Kind::kList});
    value.items.push_back(std::move(item));
  }
  std::string fault;
  if (list && value.kind == Node::Kind::kList) {
    for (const Node& item : value.items) {
      fault = fault.empty() ? fault_of(word.takes, item) : fault;
    }
  } else {
    fault = fault_of(word.takes, value);
  }
  // Refuses user information only in values that a key would store.
  if (!word.sets.empty() &&
      (has_user_info(value.text) ||
       std::ranges::any_of(value.items, [](const Node& item) {
         return has_user_info(item.text);
       }))) {
    problems.add(
        place,
        std::string(word.name),
        "a URL with user information (USER:PASSWORD@), which the recipe would "
        "store: leave it out");
    return;
  }
  if (!fault.empty()) {
    problems.add(
        place,
        std::string(word.name),
        fmt::format(
            "expected {}{}, got {}",
            list ? "a list, each " : "",
            fault,
            text_of(value)));
    return;
  }
  values_.insert_or_assign(std::string(word.name), std::move(value));
}

void Words::read_yaml(
    const Node& root,
    const std::string& source,
    Problems& problems) {
  for (const Node::Entry& entry : root.entries) {
    const Word* word = program_->find(entry.key);
    if (word != nullptr) {
      set(*word, entry.value, source, problems);
    } else if (!is_off(entry.value)) {
      unknown_.push_back(printable(entry.key) + ": " + text_of(entry.value));
    }
  }
}

const Node& Words::at(std::string_view name) const {
  const auto given = values_.find(name);
  if (given != values_.end()) {
    return given->second;
  }
  const auto initial = initial_.find(name);
  assert(initial != initial_.end());
  return initial->second;
}

bool Words::changed(std::string_view name) const {
  return !same(at(name), initial_.find(name)->second);
}

bool Words::has(std::string_view name) const {
  const Node& node = at(name);
  return !node.text.empty() || !node.items.empty() || !node.entries.empty();
}

bool Words::flag(std::string_view name) const {
  return is_true(at(name));
}

std::int64_t Words::integer(std::string_view name) const {
  std::int64_t value = 0;
  parse_int(at(name).text, value);
  return value;
}

double Words::number(std::string_view name) const {
  double value = 0.0;
  parse_double(at(name).text, value);
  return value;
}

std::string Words::text(std::string_view name) const {
  const Node& node = at(name);
  return node.kind == Node::Kind::kScalar ? node.text : "";
}

std::vector<double> Words::numbers(std::string_view name) const {
  std::vector<double> values;
  for (const Node& item : at(name).items) {
    parse_double(item.text, values.emplace_back());
  }
  return values;
}

std::vector<std::int64_t> Words::integers(std::string_view name) const {
  std::vector<std::int64_t> values;
  for (const Node& item : at(name).items) {
    parse_int(item.text, values.emplace_back());
  }
  return values;
}

std::string Words::shown(std::string_view name) const {
  return fmt::format("{}: {}", name, text_of(at(name)));
}

} // namespace vitrain::config::foreign
