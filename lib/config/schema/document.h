#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/schema/problems.h"

namespace vitrain::config {

// A YAML document as plain values, with their positions.
struct Node {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  std::string text; // kScalar
  bool quoted = false; // kScalar
  int line = 0; // from 1; 0: not read from a file
  int column = 0;
  std::vector<Node> items; // kList
  std::vector<Entry> entries; // kMap, without duplicates
};

struct Node::Entry {
  std::string key;
  int line = 0;
  int column = 0;
  Node value;
};

// Parses one document with yaml-cpp. Refuses parts of YAML that a config does
// not need: anchors, aliases, merge keys, tags, duplicate keys, keys that are
// not plain text, a second document, more than 64 levels or 100,000 values,
// tabs as indentation, and text that is not UTF-8 (a byte order mark and CRLF
// are accepted). Adds mistakes to `problems` with the name `source`. Returns
// nullopt if there is no document; never throws for bad input.
std::optional<Node> parse_document(
    std::string_view text,
    const std::string& source,
    Problems& problems);

// Returns a short, printable description for messages: `12`, `"a"` for a quoted
// text, "a list", "nothing", ...
std::string describe(const Node& node);

} // namespace vitrain::config
