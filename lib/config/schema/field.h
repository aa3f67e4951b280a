#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/schema/duration.h"
#include "core/enum_names.h"

namespace vitrain::config {

enum class ScalarType { kBool, kInteger, kNumber, kText, kDuration };
using Scalar = std::variant<bool, std::int64_t, double, std::string, Duration>;
// Value of a key: nullopt (null or auto), one element, or the items of a list.
using Setting = std::optional<std::vector<Scalar>>;

// Limit of a number, or of a duration's number in any unit.
struct Bound {
  double value = 0.0;
  bool inclusive = true;
};

// One key of the schema, bound to its member in one recipe, which must outlive
// the Field.
struct Field {
  std::string path; // "data.train.kind"
  std::string help;
  ScalarType type = ScalarType::kBool;
  bool list = false;
  // Required length of a list, or also 1 with `one_or_list`; 0: any.
  std::size_t length = 0;
  bool optional = false; // may have no value
  const char* none = "null"; // the word for no value

  // Rules; for a list, they apply to each item, except `ascending` and
  // `one_or_list`.
  std::vector<std::string> choices; // allowed texts in any case; empty: any
  std::optional<Bound> low;
  std::optional<Bound> high;
  std::optional<double> exception; // allowed although it is below `low`
  bool not_empty = false;
  bool file_name = false;
  bool ascending = false; // numbers of the list must not decrease
  // A single value may be written instead of a list.
  bool one_or_list = false;
  // Whether a duration may or must be a time.
  enum class Time { kRefused, kAllowed, kRequired } time = Time::kRefused;
  // Text fields: description of the form, and a function that returns the
  // mistake in a text (or "").
  const char* form = nullptr;
  std::string (*fault_of)(const std::string&) = nullptr;
  bool maps = false; // each item is a map, stored as map_text()

  // Text of the requirement on other keys without which this key has no effect;
  // "": none.
  std::string needs;
  std::function<bool()> needs_met; // null if `needs` is ""

  std::function<Setting()> get;
  // Requires a Setting that obeys the rules, which it does not check.
  std::function<void(const Setting&)> set;

  // Returns true if `items` are written as a list: always for lists, except for
  // one item that stands for `length` equal ones.
  bool writes_list(const std::vector<Scalar>& items) const {
    return list && !(one_or_list && length > 1 && items.size() == 1);
  }
};

// Returns a description of the form of durations: "a time (3h50m, ...)".
std::string form_of(Field::Time time);

// Result of field(): chained calls add rules to one key.
class Rules {
 public:
  explicit Rules(Field& field) : field_(field) {}

  Rules& at_least(double value) {
    return with(&Field::low, Bound{value, /*inclusive=*/true});
  }
  Rules& more_than(double value) {
    return with(&Field::low, Bound{value, /*inclusive=*/false});
  }
  Rules& at_most(double value) {
    return with(&Field::high, Bound{value, /*inclusive=*/true});
  }
  Rules& less_than(double value) {
    return with(&Field::high, Bound{value, /*inclusive=*/false});
  }
  Rules& in_range(double first, double last) {
    return at_least(first).at_most(last);
  }
  Rules& one_of_or_at_least(double special, double first) {
    return with(&Field::exception, special).at_least(first);
  }
  // Text of at least one character.
  Rules& not_empty() { return with(&Field::not_empty, true); }
  // 1 to 128 letters, digits, `.`, `_` and `-`, not starting with a dot.
  Rules& file_name() { return with(&Field::file_name, true); }
  // Sets Field::none, the word for no value: `auto` or `word` instead of
  // `null`, which is then refused.
  Rules& auto_value() { return none_word("auto"); }
  Rules& none_word(const char* word) { return with(&Field::none, word); }
  // Allowed values of each item of a list.
  Rules& each_of(std::initializer_list<const char*> choices) {
    return with(
        &Field::choices,
        std::vector<std::string>(choices.begin(), choices.end()));
  }
  Rules& each_at_least(double value) { return at_least(value); }
  Rules& each_more_than(double value) { return more_than(value); }
  Rules& each_at_most(double value) { return at_most(value); }
  Rules& each_less_than(double value) { return less_than(value); }
  // A length of training or a time; a time only.
  Rules& or_time() { return with(&Field::time, Field::Time::kAllowed); }
  Rules& only_time() { return with(&Field::time, Field::Time::kRequired); }
  // A list that may be written as a single value.
  Rules& one_or_list() { return with(&Field::one_or_list, true); }
  // Text in a special form: `form` describes it in messages, and `fault_of`
  // returns the mistake in a text, or "".
  Rules& written_as(
      const char* form,
      std::string (*fault_of)(const std::string&)) {
    return with(&Field::form, form).with(&Field::fault_of, fault_of);
  }
  // Items are maps, each stored as text, which Field::fault_of checks.
  Rules& as_maps() { return with(&Field::maps, true); }
  // Numbers of a list must not decrease.
  Rules& ascending() { return with(&Field::ascending, true); }
  // The key has no effect unless `met` returns true; `text` describes the
  // requirement: "schedule.warmup".
  Rules& needs(std::string text, std::function<bool()> met) {
    return with(&Field::needs, std::move(text))
        .with(&Field::needs_met, std::move(met));
  }
  // The key has no effect unless `member`, the value of the key `key`, is one
  // of `values`.
  template <typename Enum, std::same_as<Enum>... Others>
  Rules& needs(
      std::string_view key,
      const Enum& member,
      Enum value,
      Others... values) {
    return needs(
        alternatives(key, {name_of(value), name_of(values)...}),
        [&member, value, values...] {
          return member == value || ((member == values) || ...);
        });
  }

 private:
  // Returns "dist.sync.mode: a, b or c" for that key and the names a, b and c.
  static std::string alternatives(
      std::string_view key,
      const std::vector<std::string>& names);

  template <typename Member, typename Value>
  Rules& with(Member Field::*member, Value value) {
    field_.*member = std::move(value);
    return *this;
  }

  Field& field_;
};

// Result of section(): adds a requirement to all its keys, also those of its
// subsections, that have none yet.
class SectionRules {
 public:
  explicit SectionRules(std::span<Field> fields) : fields_(fields) {}

  template <typename... Needs>
  void needs(const Needs&... needs) {
    for (Field& field : fields_) {
      if (!field.needs_met) {
        Rules(field).needs(needs...);
      }
    }
  }

 private:
  std::span<Field> fields_;
};

} // namespace vitrain::config
