#include "config/schema/group_rule.h"

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain::config {
namespace {

// Returns true if the pattern matches all of `name`.
bool matches_glob(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos; // position of the last `*`
  std::size_t taken = 0; // end of the text that this `*` matches
  while (n < name.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') {
    ++p;
  }
  return p == pattern.size();
}

// Reads a key into the rule. Returns "" on success, otherwise the mistake.
std::string take_entry(const Node::Entry& entry, GroupRule& rule) {
  const bool scalar = entry.value.kind == Node::Kind::kScalar;
  if (entry.key == "match") {
    rule.match = scalar ? entry.value.text : "";
    return rule.match.empty() ? "match is a pattern of parameters' names" : "";
  }
  if (entry.key == "from_epoch" || entry.key == "until_epoch") {
    std::int64_t& epoch = entry.key == "from_epoch"
        ? rule.from_epoch
        : rule.until_epoch.emplace();
    return scalar && parse_int(entry.value.text, epoch) && epoch >= 1
        ? ""
        : fmt::format("{} is the number of an epoch, from 1", entry.key);
  }
  const bool rate = entry.key == "lr";
  if (!rate && entry.key != "weight_decay") {
    return fmt::format(
        "it has {}; there are match, lr, weight_decay, from_epoch and "
        "until_epoch",
        printable(entry.key));
  }
  double& factor = rate ? rule.lr : rule.weight_decay;
  if (!scalar || !parse_double(entry.value.text, factor) || factor < 0.0 ||
      !(factor <= 1e6)) {
    return fmt::format("{} is a factor from 0", entry.key);
  }
  return rate && factor == 0.0
      ? "lr is more than 0; what is not to be trained is named by model.freeze"
      : "";
}

std::string read_rule(const std::string& text, GroupRule& rule) {
  Problems problems;
  const std::optional<Node> node = parse_document(text, "", problems);
  if (!node || node->kind != Node::Kind::kMap) {
    return "it is no map like {match: \"blocks.*\", lr: 0.5}";
  }
  for (const Node::Entry& entry : node->entries) {
    if (std::string fault = take_entry(entry, rule); !fault.empty()) {
      return fault;
    }
  }
  if (rule.match.empty()) {
    return "it has no match";
  }
  if (rule.until_epoch && *rule.until_epoch < rule.from_epoch) {
    return fmt::format(
        "until_epoch: {} is before from_epoch: {}, so that it is never "
        "trained; that is said by model.freeze",
        *rule.until_epoch,
        rule.from_epoch);
  }
  return node->entries.size() > 1 ? "" : "it says nothing of what it matches";
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    result += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return result + "\"";
}

// Returns a null, scalar or list of scalars as YAML; `in_quotes`: quotes a
// scalar in any case.
std::string value_text(const Node& value, bool in_quotes) {
  std::vector<std::string> items;
  switch (value.kind) {
    case Node::Kind::kScalar:
      return value.quoted || in_quotes ? quoted(value.text) : value.text;
    case Node::Kind::kList:
      for (const Node& item : value.items) {
        items.push_back(
            item.kind == Node::Kind::kScalar ? value_text(item, false) : "[]");
      }
      return "[" + join(items, ", ") + "]";
    case Node::Kind::kNull:
      return "null";
    case Node::Kind::kMap:
      break;
  }
  return "[]";
}

} // namespace

std::string map_text(const Node& map) {
  std::vector<std::string> parts;
  for (const Node::Entry& entry : map.entries) {
    // In quotes, since YAML reads a leading * as an alias.
    const bool pattern = entry.key == "match";
    parts.push_back(
        fmt::format("{}: {}", entry.key, value_text(entry.value, pattern)));
  }
  return "{" + join(parts, ", ") + "}";
}

std::string validate_group_rule(const std::string& text) {
  GroupRule rule;
  return read_rule(text, rule);
}

std::vector<GroupRule> group_rules(const std::vector<std::string>& texts) {
  std::vector<GroupRule> rules;
  for (const std::string& text : texts) {
    read_rule(text, rules.emplace_back());
  }
  return rules;
}

bool matches_name(std::string_view pattern, std::string_view name) {
  if (matches_glob(pattern, name)) {
    return true;
  }
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos;
       dot = name.find('.', dot + 1)) {
    if (matches_glob(pattern, name.substr(0, dot))) {
      return true;
    }
  }
  return false;
}

} // namespace vitrain::config
