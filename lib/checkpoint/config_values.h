#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"

namespace vitrain::checkpoint {

// Reads members of a JSON object in another program's config.json. Functions
// return nullopt (texts(): an empty list) for a member that is absent or null.
// A value of another form counts as absent and, except in text(), adds a note.
class ConfigValues {
 public:
  // `json` must be an object; it and `notes` must outlive this. `source` names
  // the file in notes.
  ConfigValues(
      const Json& json,
      std::string source,
      std::vector<std::string>& notes)
      : json_(json), source_(std::move(source)), notes_(notes) {}

  // Returns the member, or null if it is absent or JSON's null.
  const Json* find(const std::string& key) const;
  bool has(const std::string& key) const { return find(key) != nullptr; }

  std::optional<bool> flag(const std::string& key) const;
  // Returns a number in (0, most].
  std::optional<double> number(const std::string& key, double most) const;
  // Returns an integer from 0 to 2^20.
  std::optional<std::int64_t> count(const std::string& key) const;
  // Returns a text; "" if the member is absent or not a text.
  std::string text(const std::string& key) const;
  // Returns a text that is one of `words`.
  std::optional<std::string> word(
      const std::string& key,
      std::initializer_list<std::string_view> words) const;
  // Returns three finite numbers; a single number, or a list of one, is used
  // for all three. `positive`: each must be above 0.
  std::optional<std::vector<double>> colours(
      const std::string& key,
      bool positive) const;
  // Returns texts: exactly `count` of them, or any number if `count` is 0.
  std::vector<std::string> texts(const std::string& key, std::int64_t count)
      const;

  // Adds a note that the value of `key` is not used. `allowed` describes valid
  // values.
  void refuse(const std::string& key, std::string_view allowed) const;

  const std::string& source() const { return source_; }

 private:
  const Json& json_;
  std::string source_;
  std::vector<std::string>& notes_;
};

// True for a valid side of images, an integer from 1 to 4096 (pixels), as for
// model.image_size.
bool is_side(const Json& value);

} // namespace vitrain::checkpoint
