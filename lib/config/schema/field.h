#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "config/schema/duration.h"

namespace vitrain::config {

enum class ScalarType { kBool, kInteger, kNumber, kText, kDuration };
using Scalar = std::variant<bool, std::int64_t, double, std::string, Duration>;
// No value (null or auto), one value, or the items of a list.
using Setting = std::optional<std::vector<Scalar>>;

struct Bound {
  double value = 0.0;
  bool inclusive = true;
};

// One key of the schema, bound to the member of one recipe.
struct Field {
  std::string path; // "data.train.kind"
  std::string help;
  ScalarType type = ScalarType::kBool;
  bool list = false;
  std::size_t length = 0; // of a list; 0: any
  bool optional = false; // may have no value ...
  const char* none = "null"; // ... which is written like this

  // Rules; for lists they hold for each item.
  std::vector<std::string> choices;
  std::optional<Bound> low;
  std::optional<Bound> high;
  std::optional<double> exception; // allowed although it is below `low`
  bool not_empty = false;
  bool file_name = false;
  bool ascending = false;
  bool one_or_list = false; // one value stands for a list of it
  // Of text: what it has to be, and the fault of one that is not (or empty).
  const char* form = nullptr;
  std::string (*fault_of)(const std::string&) = nullptr;

  // What others have to be for it to have an effect, in words; "": nothing.
  std::string needs;
  std::function<bool()> needs_met; // where there are needs

  std::function<Setting()> get;
  std::function<void(const Setting&)> set;
};

// What field() returns: rules of one key, chained.
class Rules {
 public:
  explicit Rules(Field& field) : field_(field) {}

  Rules& at_least(double value) { return low(value, /*inclusive=*/true); }
  Rules& more_than(double value) { return low(value, /*inclusive=*/false); }
  Rules& at_most(double value) { return high(value, /*inclusive=*/true); }
  Rules& less_than(double value) { return high(value, /*inclusive=*/false); }
  Rules& in_range(std::int64_t first, std::int64_t last);
  Rules& one_of_or_at_least(std::int64_t special, std::int64_t first);
  // Text of at least one character.
  Rules& not_empty();
  // Letters, digits, `.`, `_` and `-`, not starting with a dot.
  Rules& file_name();
  // An optional value that is left out is written `auto`, or as given, instead
  // of `null`.
  Rules& auto_value() { return none_word("auto"); }
  Rules& none_word(const char* word);
  // Each item of a list.
  Rules& each_of(std::initializer_list<const char*> choices);
  Rules& each_at_least(double value) { return at_least(value); }
  Rules& each_more_than(double value) { return more_than(value); }
  Rules& each_at_most(double value) { return at_most(value); }
  Rules& each_less_than(double value) { return less_than(value); }
  // A list that may be written as its only item.
  Rules& one_or_list();
  // Text in a form of its own: `fault_of` says what is wrong with one, or "".
  Rules& written_as(
      const char* form,
      std::string (*fault_of)(const std::string&));
  // No item is smaller than the one before.
  Rules& ascending();
  // Without an effect unless `met`, which `text` says: "optim.name: sgd".
  Rules& needs(const char* text, std::function<bool()> met);

 private:
  Rules& low(double value, bool inclusive);
  Rules& high(double value, bool inclusive);

  Field& field_;
};

} // namespace vitrain::config
