#include "config/load/reader.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "config/rules/unsupported_keys.h"
#include "config/schema/suggest.h"
#include "config/schema/values.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

// Maximum number of searches for similar keys; a malicious file may have
// 100,000 keys.
constexpr std::size_t kMostSuggestions = 100;

// The boolean key `path`, which stands for one of two values of the key
// `field`.
struct Spelling {
  std::string_view path;
  const char* field;
  const char* when_true;
  const char* when_false;
};

constexpr std::array<Spelling, 2> kSpellings{{
    {"data.sampler.drop_last", "data.sampler.last_batch", "drop", "keep"},
    {"dist.sync_batchnorm", "dist.batchnorm", "sync", "local"},
}};

// Returns the row with this path; null if there is none.
const Spelling* spelling_of(std::string_view path) {
  const auto found = std::ranges::find(kSpellings, path, &Spelling::path);
  return found == kSpellings.end() ? nullptr : &*found;
}

bool is_bool(const Node& node) {
  return node.kind == Node::Kind::kScalar && !node.quoted &&
      (node.text == "true" || node.text == "false");
}

Node translated(Node value, const Spelling& spelling) {
  value.text = value.text == "true" ? spelling.when_true : spelling.when_false;
  return value;
}

} // namespace

Reader::Reader(
    Schema schema,
    Origins& origins,
    Problems& problems,
    KeyOfWord key_of_word)
    : origins_(origins),
      problems_(problems),
      key_of_word_(key_of_word),
      schema_(std::move(schema)) {
  for (const Field& field : schema_.fields) {
    fields_.emplace(field.path, &field);
  }
  for (const Section& section : schema_.sections) {
    sections_.insert(section.path);
  }
}

void Reader::refuse(
    const Position& position,
    const std::string& key,
    std::string text) {
  wrong_.insert(key);
  problems_.add(position, key, std::move(text));
}

void Reader::apply(const Layer& layer) {
  source_ = layer.source;
  origin_ = layer.origin;
  seen_.clear();
  problems_.announce(source_);
  read_map(layer.root, "");
}

void Reader::read_map(const Node& map, const std::string& prefix) {
  for (const Node::Entry& entry : map.entries) {
    if (prefix.empty() && (entry.key == "base" || entry.key == "BASE")) {
      continue;
    }
    const Position at_key{source_, entry.line, entry.column, origin_};
    if (entry.key.find('.') != std::string::npos) {
      refuse(
          at_key,
          prefix + printable(entry.key),
          "unknown key: write one name per level (`optim:`, and `lr: 0.1` "
          "indented below it)");
      continue;
    }
    read_entry(entry, prefix + entry.key);
  }
}

void Reader::read_entry(const Node::Entry& entry, const std::string& path) {
  const Node& value = entry.value;
  const Position at_key{source_, entry.line, entry.column, origin_};
  const Position at_value{source_, value.line, value.column, origin_};
  if (sections_.contains(path)) {
    if (value.kind == Node::Kind::kMap) {
      read_map(value, path + ".");
    } else {
      refuse(
          at_key,
          path,
          fmt::format(
              "expected keys below it (a section), got {}", describe(value)));
    }
  } else if (const Spelling* spelling = spelling_of(path)) {
    if (is_bool(value)) {
      set(*fields_.at(spelling->field), translated(value, *spelling), at_value);
    } else {
      expect_bool(path, value, at_value);
    }
  } else if (const auto field = fields_.find(path); field != fields_.end()) {
    set(*field->second, value, at_value);
  } else {
    refuse(at_key, printable(path), unknown(path));
  }
}

void Reader::expect_bool(
    const std::string& path,
    const Node& value,
    const Position& position) {
  refuse(
      position,
      path,
      fmt::format("expected true or false, got {}", describe(value)));
}

void Reader::set(
    const Field& field,
    const Node& value,
    const Position& position) {
  const auto [seen, first] = seen_.emplace(field.path, position);
  if (!first) {
    refuse(
        position,
        field.path,
        fmt::format("already set at {}", seen->second.text()));
    return;
  }
  if (const auto problem = read_value(field, value)) {
    refuse(position, field.path, *problem);
    return;
  }
  origins_[field.path] = position;
}

std::string Reader::unknown(const std::string& path) const {
  if (is_later_key(path)) {
    return std::string(kLater);
  }
  if (const auto reason = refusal_of(path); !reason.empty()) {
    return fmt::format("not offered: {}", reason);
  }
  return "unknown key" +
      (problems_.size() < kMostSuggestions
           ? suggestion(
                 schema_,
                 path,
                 key_of_word_ != nullptr ? key_of_word_(leaf_of(path)) : "")
           : "");
}

void Reader::apply(const Override& override) {
  const Position position{override.source, 0, 0, override.origin};
  const Spelling* spelling = spelling_of(override.key);
  const std::string key = spelling != nullptr ? spelling->field : override.key;
  if (sections_.contains(key)) {
    refuse(
        position,
        key,
        "is a section: name one of its keys, as in optim.lr=1e-3");
    return;
  }
  const auto field = fields_.find(key);
  if (field == fields_.end()) {
    refuse(position, printable(key), unknown(key));
    return;
  }
  Node value = node_of(override, *field->second);
  if (spelling != nullptr) {
    if (!is_bool(value)) {
      expect_bool(override.key, value, position);
      return;
    }
    value = translated(value, *spelling);
  }
  // If an option sets several keys to the same wrong value, report it only
  // once.
  const auto blame = std::pair(override.source, override.value);
  if (refused_.contains(blame)) {
    return;
  }
  const std::size_t before = problems_.size();
  seen_.clear();
  set(*field->second, value, position);
  if (problems_.size() > before) {
    refused_.insert(blame);
  }
}

Node Reader::node_of(const Override& override, const Field& field) {
  Node node;
  node.kind = Node::Kind::kScalar;
  node.text = override.value;
  // The value of a named option is literal text, even if it reads `null`.
  node.quoted = override.form == Override::Form::kPlain &&
      field.type == ScalarType::kText;
  if (override.form == Override::Form::kList) {
    node.kind = Node::Kind::kList;
    const std::vector<std::string> items = override.value.empty()
        ? std::vector<std::string>{}
        : split(override.value, ',');
    for (const std::string& item : items) {
      Node& part = node.items.emplace_back();
      part.kind = Node::Kind::kScalar;
      part.text = std::string(trim(item));
    }
  } else if (override.form == Override::Form::kYaml) {
    // Invalid YAML is kept as text and checked as such.
    Problems ignored;
    std::optional<Node> parsed =
        parse_document(override.value, override.source, ignored);
    if (parsed && ignored.empty()) {
      node = std::move(*parsed);
    } else if (trim(override.value).empty()) {
      node.kind = Node::Kind::kNull;
    }
  }
  return node;
}

} // namespace vitrain::config
