#include "config/schema/values.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "config/schema/group_rule.h"
#include "config/schema/text_rules.h"
#include "core/ascii.h"
#include "core/text.h"
#include "core/url.h"

namespace vitrain::config {
namespace {

std::string unsigned_part(const std::string& text) {
  return text.starts_with('-') ? text.substr(1) : text;
}

// Returns true only for decimal integers: YAML readers disagree on 010, 0x10.
bool plain_integer(const std::string& text) {
  const std::string digits = unsigned_part(text);
  return !digits.empty() && std::ranges::all_of(digits, is_digit) &&
      (digits == "0" || digits.front() != '0');
}

// First check of read_number(): false for 010, .nan and wrong characters.
bool plain_number(const std::string& text) {
  const std::string digits = unsigned_part(text);
  const bool leading_zero =
      digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]);
  return !digits.empty() && !leading_zero &&
      (is_digit(digits[0]) || digits[0] == '.') &&
      std::ranges::any_of(digits, is_digit) &&
      digits.find_first_not_of("0123456789.eE+-") == std::string::npos;
}

// Parses a decimal number. Returns false for other texts, also with a first +.
bool read_number(const std::string& text, double& number) {
  if (!plain_number(text) || !parse_double(text, number)) {
    return false;
  }
  number += 0.0; // turns -0 into 0
  return true;
}

// Returns a bound in plain notation: 0.05, 1048576.
std::string bound_text(double value) {
  return fmt::format("{}", value);
}

std::string range_text(const Field& field) {
  std::string text;
  if (field.exception) {
    text += fmt::format(" {} or", bound_text(*field.exception));
  }
  if (field.low && field.high) {
    return text +
        fmt::format(
               " in {}{}, {}{}",
               field.low->inclusive ? "[" : "(",
               bound_text(field.low->value),
               bound_text(field.high->value),
               field.high->inclusive ? "]" : ")");
  }
  if (field.low) {
    text += fmt::format(
        " {} {}",
        field.low->inclusive ? ">=" : ">",
        bound_text(field.low->value));
  }
  if (field.high) {
    text += fmt::format(
        " {} {}",
        field.high->inclusive ? "<=" : "<",
        bound_text(field.high->value));
  }
  return text;
}

// Returns what a value or list item may be: "integer in [1, 4]", "one of a, b".
std::string item_text(const Field& field) {
  if (!field.choices.empty()) {
    return (field.choices.size() == 1 ? "" : "one of ") +
        join(field.choices, ", ");
  }
  switch (field.type) {
    case ScalarType::kBool:
      return "true or false";
    case ScalarType::kInteger:
      return "integer" + range_text(field);
    case ScalarType::kNumber:
      return "number" + range_text(field);
    case ScalarType::kDuration:
      return form_of(field.time) + range_text(field);
    case ScalarType::kText:
      break;
  }
  return field.form != nullptr ? field.form
      : field.file_name        ? "name of letters, digits, '.', '_' and '-'"
      : field.not_empty        ? "text that is not empty"
                               : "text";
}

// Returns advice for a text that is meant as a number but is none; else "".
std::string number_hint(const Node& node) {
  const std::string digits = unsigned_part(node.text);
  if (node.quoted) {
    return ": leave out the quotes";
  }
  if (digits.starts_with("0x") || digits.starts_with("0o") ||
      (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]))) {
    return ": write it in decimal, without leading zeros";
  }
  if (!digits.empty() && is_digit(digits[0]) &&
      digits.find_first_not_of("0123456789_,") == std::string::npos &&
      digits.find_first_of("_,") != std::string::npos) {
    return ": write the digits without separators";
  }
  return "";
}

bool within(const Field& field, double value) {
  if (field.exception && value == *field.exception) {
    return true;
  }
  const bool low = !field.low || value > field.low->value ||
      (field.low->inclusive && value == field.low->value);
  const bool high = !field.high || value < field.high->value ||
      (field.high->inclusive && value == field.high->value);
  return low && high;
}

// Returns the choice equal to `text` but for case (AdamW: adamw), or nullopt.
std::optional<std::string> choice_of(
    const Field& field,
    const std::string& text) {
  const auto found = std::ranges::find_if(field.choices, [&](auto& choice) {
    return ascii_lower(choice) == ascii_lower(text);
  });
  return found == field.choices.end() ? std::nullopt : std::optional(*found);
}

bool good_text(const Field& field, const std::string& text) {
  if (!clean(text) || has_user_info(text)) {
    return false;
  }
  if (field.fault_of != nullptr) {
    return field.fault_of(text).empty();
  }
  if (field.file_name) {
    constexpr std::string_view kAllowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return !text.empty() && text.size() <= 128 && text.front() != '.' &&
        text.find_first_not_of(kAllowed) == std::string::npos;
  }
  return !field.not_empty || !text.empty();
}

// Returns nullopt if the node is not a value that the field accepts.
std::optional<Scalar> read_scalar(const Field& field, const Node& node) {
  if (field.maps && node.kind == Node::Kind::kMap) {
    std::string text = map_text(node);
    return good_text(field, text) ? std::optional<Scalar>(std::move(text))
                                  : std::nullopt;
  }
  if (node.kind != Node::Kind::kScalar) {
    return std::nullopt;
  }
  const bool may_be_quoted =
      field.type == ScalarType::kText || field.type == ScalarType::kDuration;
  if (node.quoted && !may_be_quoted) {
    return std::nullopt;
  }
  switch (field.type) {
    case ScalarType::kBool:
      return node.text == "true" || node.text == "false"
          ? std::optional<Scalar>(node.text == "true")
          : std::nullopt;
    case ScalarType::kInteger: {
      std::int64_t value = 0;
      const bool good = plain_integer(node.text) &&
          parse_int(node.text, value) &&
          within(field, static_cast<double>(value));
      return good ? std::optional<Scalar>(value) : std::nullopt;
    }
    case ScalarType::kNumber: {
      double value = 0.0;
      const bool good = read_number(node.text, value) && within(field, value);
      return good ? std::optional<Scalar>(value) : std::nullopt;
    }
    case ScalarType::kDuration: {
      Duration value;
      const bool good = parse_duration(node.text, value) &&
          within(field, value.value) &&
          field.time !=
              (value.is_time() ? Field::Time::kRefused
                               : Field::Time::kRequired);
      return good ? std::optional<Scalar>(value) : std::nullopt;
    }
    case ScalarType::kText:
      break;
  }
  if (!field.choices.empty()) {
    return choice_of(field, node.text);
  }
  return good_text(field, node.text) ? std::optional<Scalar>(node.text)
                                     : std::nullopt;
}

std::string refusal(const Field& field, const Node& node) {
  if (node.kind == Node::Kind::kScalar) {
    if (std::string text = refuse_user_info(field, node.text); !text.empty()) {
      return fmt::format("expected {}, got {}", expectation(field), text);
    }
  }
  const bool number =
      field.type == ScalarType::kInteger || field.type == ScalarType::kNumber;
  const bool scalar = node.kind == Node::Kind::kScalar;
  std::string hint;
  if (scalar && field.type == ScalarType::kBool && node.quoted) {
    hint = ": leave out the quotes";
  } else if (scalar && number) {
    hint = number_hint(node);
  } else if (scalar && !field.choices.empty()) {
    hint = did_you_mean(node.text, field.choices);
    hint = hint.empty() ? "" : "." + hint;
  } else if (
      scalar && field.type == ScalarType::kDuration &&
      plain_number(node.text)) {
    hint = ": a length needs a unit";
  } else if (scalar && !clean(node.text)) {
    hint = ": it has control characters or is not UTF-8";
  } else if (scalar && field.fault_of != nullptr) {
    hint = ": " + field.fault_of(node.text);
  } else if (field.maps && node.kind == Node::Kind::kMap) {
    hint = ": " + field.fault_of(map_text(node));
  }
  return fmt::format(
      "expected {}, got {}{}", expectation(field), describe(node), hint);
}

// Sets a list field. Returns nullopt on success, otherwise the mistake.
std::optional<std::string> read_list(const Field& field, const Node& node) {
  if (field.one_or_list && node.kind == Node::Kind::kScalar) {
    const std::optional<Scalar> value = read_scalar(field, node);
    if (!value) {
      return refusal(field, node);
    }
    field.set(Setting{{*value}});
    return std::nullopt;
  }
  const bool sized = field.length == 0 || node.items.size() == field.length;
  if (node.kind != Node::Kind::kList) {
    return refusal(field, node);
  }
  if (!sized) {
    return fmt::format(
        "expected {}, got a list of {}", expectation(field), node.items.size());
  }
  Setting setting(std::in_place);
  for (const Node& item : node.items) {
    const std::optional<Scalar> value = read_scalar(field, item);
    if (!value) {
      return refusal(field, item) + " in the list";
    }
    const bool falls = field.ascending && !setting->empty() &&
        std::get<double>(*value) < std::get<double>(setting->back());
    if (falls) {
      return fmt::format(
          "expected {}, got {} after a larger number",
          expectation(field),
          describe(item));
    }
    setting->push_back(*value);
  }
  field.set(setting);
  return std::nullopt;
}

// Returns true if YAML readers take the text without quotes as text.
bool reads_as_text(const std::string& text) {
  static constexpr std::array<std::string_view, 12> kTaken{
      "null",
      "true",
      "false",
      "yes",
      "no",
      "on",
      "off",
      "y",
      "n",
      "nan",
      ".nan",
      ".inf"};
  const std::string lower = ascii_lower(text);
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || c == '_' || c == '/';
  };
  constexpr std::string_view kSafe = "abcdefghijklmnopqrstuvwxyz0123456789_./-";
  return !lower.empty() && letter(lower.front()) &&
      lower.find_first_not_of(kSafe) == std::string::npos &&
      std::ranges::find(kTaken, lower) == kTaken.end();
}

std::string write_text(const std::string& text) {
  if (reads_as_text(text)) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
    }
    quoted += c;
  }
  return quoted + "\"";
}

// Writes a number with a point, since YAML 1.1 readers take 1e-05 as text.
std::string write_number(double value) {
  std::string text = shortest(value);
  if (text.find('.') == std::string::npos) {
    text.insert(std::min(text.find('e'), text.size()), ".0");
  }
  return text;
}

std::string write_scalar(const Scalar& scalar) {
  struct Writer {
    std::string operator()(bool value) const {
      return value ? "true" : "false";
    }
    std::string operator()(std::int64_t value) const {
      return fmt::format("{}", value);
    }
    std::string operator()(double value) const { return write_number(value); }
    std::string operator()(const std::string& value) const {
      return write_text(value);
    }
    std::string operator()(const Duration& value) const { return value.text(); }
  };
  return std::visit(Writer{}, scalar);
}

} // namespace

std::string expectation(const Field& field) {
  std::string text = item_text(field);
  if (field.list) {
    const std::string length =
        field.length > 0 ? fmt::format(" of {}", field.length) : "";
    text = fmt::format(
        "{}list{}, each {}{}",
        field.one_or_list ? "one value or " : "",
        length,
        text,
        field.ascending ? ", in rising order" : "");
  }
  return field.optional ? fmt::format("{} or {}", text, field.none) : text;
}

std::optional<std::string> read_value(const Field& field, const Node& node) {
  const bool is_auto = node.kind == Node::Kind::kScalar && !node.quoted &&
      node.text == field.none;
  const bool is_null =
      node.kind == Node::Kind::kNull && std::string_view(field.none) == "null";
  if (field.optional && (is_auto || is_null)) {
    field.set(std::nullopt);
    return std::nullopt;
  }
  if (field.list) {
    return read_list(field, node);
  }
  const std::optional<Scalar> value = read_scalar(field, node);
  if (!value) {
    return refusal(field, node);
  }
  field.set(Setting{{*value}});
  return std::nullopt;
}

std::string write_value(const Field& field) {
  const Setting setting = field.get();
  if (!setting) {
    return field.none;
  }
  if (!field.writes_list(*setting)) {
    return write_scalar(setting->front());
  }
  std::vector<std::string> items;
  for (const Scalar& item : *setting) {
    items.push_back(
        field.maps ? std::get<std::string>(item) : write_scalar(item));
  }
  return "[" + join(items, ", ") + "]";
}

} // namespace vitrain::config
