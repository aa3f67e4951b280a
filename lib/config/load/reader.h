#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "config/load/loaded.h"
#include "config/load/recipe_layers.h"
#include "config/schema/schema.h"

namespace vitrain::config {

// Applies layers and overrides in order to the values of a schema: maps merge
// key by key, scalars and lists replace. Records the origin of each key and
// collects problems.
class Reader {
 public:
  // Returns the key that a word of another program sets, or "".
  using KeyOfWord = std::string (*)(std::string_view word);

  // The schema's values, `origins` and `problems` must outlive the reader.
  // `key_of_word`: for suggestions; null: none.
  Reader(
      Schema schema,
      Origins& origins,
      Problems& problems,
      KeyOfWord key_of_word = nullptr);

  // Applies a file; skips `base:` (or `BASE:`) at the top level.
  void apply(const Layer& layer);
  // Applies one value. If an option sets several keys to the same wrong value,
  // adds only the first problem.
  void apply(const Override& override);
  // Returns the keys, sections and unknown names that have a problem, as they
  // are written in `problems`.
  const std::set<std::string>& wrong() const { return wrong_; }

 private:
  void read_map(const Node& map, const std::string& prefix);
  void read_entry(const Node::Entry& entry, const std::string& path);
  void
  refuse(const Position& position, const std::string& key, std::string text);
  // Adds the problem that a value is neither true nor false.
  void expect_bool(
      const std::string& path,
      const Node& value,
      const Position& position);
  void set(const Field& field, const Node& value, const Position& position);
  std::string unknown(const std::string& path) const;
  Node node_of(const Override& override, const Field& field);

  Origins& origins_;
  Problems& problems_;
  KeyOfWord key_of_word_;
  Schema schema_;
  std::unordered_map<std::string, const Field*> fields_;
  std::unordered_set<std::string> sections_;
  std::string source_; // name of the current layer
  Origin origin_ = Origin::kFile;
  // Keys that the current layer has set or tried to set, and their positions.
  std::unordered_map<std::string, Position> seen_;
  // Pairs of an option (Override::source) and its value that were refused.
  std::set<std::pair<std::string, std::string>> refused_;
  std::set<std::string> wrong_;
};

} // namespace vitrain::config
