#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/json.h"

namespace vitrain {

// Parses the text of a file. Refuses text that vitrain never writes: invalid
// JSON, an object with a repeated key, nesting deeper than 64. Throws
// Error(code) with the reason. `source`: printable name of the text, with which
// messages begin.
Json parse_json(
    const std::string& text,
    const std::string& source,
    ExitCode code);

// Reads members of an untrusted JSON object by name and type. Throws
// Error(code) with source and key if a member is missing or has another type:
// "m.json: 'state.run.step' is a string, not an integer of 64 bits".
class JsonReader {
 public:
  // `name`: name of the object, which is a prefix of its members' names in
  // messages; "" for the whole file. Throws Error(code) if `json` is not an
  // object. `json` must outlive the reader.
  JsonReader(
      const Json& json,
      std::string source,
      ExitCode code,
      std::string name = "");

  // Returns true if the key is present, even with the value null.
  bool has(const std::string& key) const { return json_.contains(key); }
  bool is_null(const std::string& key) const;
  std::int64_t integer(const std::string& key) const;
  // Accepts an integer too.
  double number(const std::string& key) const;
  std::string text(const std::string& key) const;
  JsonReader object(const std::string& key) const;
  std::vector<JsonReader> objects(const std::string& key) const;
  std::vector<std::int64_t> integers(const std::string& key) const;
  std::vector<double> numbers(const std::string& key) const;
  std::vector<std::string> texts(const std::string& key) const;

  const Json& json() const { return json_; }

 private:
  const Json& member(const std::string& key) const;
  std::string path(const std::string& key) const;
  void require(
      bool right,
      const std::string& name,
      const Json& value,
      std::string_view wanted) const;

  // Convert a value, or throw Error(code_); `name` is its full name, for
  // messages.
  std::int64_t integer_of(const Json& value, const std::string& name) const;
  double number_of(const Json& value, const std::string& name) const;
  std::string text_of(const Json& value, const std::string& name) const;
  JsonReader object_of(const Json& value, const std::string& name) const;
  template <typename Value>
  using Of = Value (JsonReader::*)(const Json&, const std::string&) const;
  template <typename Value>
  std::vector<Value> list(const std::string& key, Of<Value> read) const;

  const Json& json_;
  std::string source_;
  ExitCode code_;
  std::string name_;
};

} // namespace vitrain
