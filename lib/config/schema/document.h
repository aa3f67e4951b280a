#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/schema/problems.h"

namespace vitrain::config {

// A value of a YAML document, with its position and the values inside it.
struct Node {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  std::string text; // kScalar: without quotes
  bool quoted = false; // kScalar: was written in quotes
  int line = 0; // from 1; 0: not read from a text
  int column = 0; // from 1; 0: not read from a text
  std::vector<Node> items; // kList
  std::vector<Entry> entries; // kMap, without duplicates
};

struct Node::Entry {
  std::string key;
  int line = 0; // line of the key, from 1; 0: not read from a text
  int column = 0;
  Node value;
};

// Parses one document with yaml-cpp. Refuses parts of YAML that a config does
// not need: anchors, aliases, merge keys, tags, duplicate keys (the first
// stays), keys that are empty, null, a list or a map, a second document, more
// than 64 levels or 100,000 values, tabs as indentation, control characters,
// and text that is not UTF-8 (a byte order mark and CRLF are accepted). Adds
// mistakes to `problems` with the name `source`; never throws for bad input.
// Returns nullopt, with a problem, if the text is empty or a mistake ends the
// parsing before the document ends; otherwise the document without refused
// entries.
std::optional<Node> parse_document(
    std::string_view text,
    const std::string& source,
    Problems& problems);

// Returns a printable description for messages: `12`, `"a"` for a quoted text,
// "a list", "nothing", ... Cuts long text and hides the user information of
// URLs.
std::string describe(const Node& node);

} // namespace vitrain::config
