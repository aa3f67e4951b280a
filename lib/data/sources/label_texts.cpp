// Implements LabelTexts and have_numeric_names() of class_names.h.

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/text.h"
#include "data/sources/class_names.h"

namespace vitrain::data {
namespace {

// Parts of a decimal number.
struct Digits {
  std::string_view whole; // including the sign
  std::string_view fraction;
  bool point = false;
};

// Splits a decimal number; nullopt for any other text. Exponents, nan and
// hexadecimal digits may be class names.
std::optional<Digits> digits_of(std::string_view text) {
  const std::size_t sign = text.starts_with('-') || text.starts_with('+');
  const std::size_t point = std::min(text.find('.'), text.size());
  Digits digits{
      .whole = text.substr(0, point),
      .fraction = text.substr(std::min(point + 1, text.size())),
      .point = point < text.size()};
  const auto all_digits = [](std::string_view part) {
    return part.find_first_not_of("0123456789") == part.npos;
  };
  const bool number = digits.whole.size() > sign &&
      all_digits(digits.whole.substr(sign)) && all_digits(digits.fraction);
  return number ? std::optional(digits) : std::nullopt;
}

bool is_whole(const Digits& digits) {
  return digits.fraction.find_first_not_of('0') == digits.fraction.npos;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

std::string shown(std::string_view text) {
  return printable(text.substr(0, 200));
}

} // namespace

bool have_numeric_names(const std::vector<std::string>& classes) {
  const std::int64_t count = std::ssize(classes);
  std::int64_t place = 0;
  return std::ranges::any_of(classes, [&](const std::string& name) {
    const std::int64_t own = place++;
    const auto digits = digits_of(name);
    std::int64_t number = 0;
    return digits && is_whole(*digits) && parse_int(digits->whole, number) &&
        number != own && number >= 0 && number < count;
  });
}

LabelTexts::LabelTexts(
    std::vector<std::string> names,
    std::string source,
    std::int64_t classes,
    ClassOrder order,
    LabelForm trained,
    bool only_numbers)
    : names_(std::move(names)),
      source_(std::move(source)),
      classes_(names_.size() > 0 ? names_.size() : classes),
      order_(order),
      trained_(trained),
      only_numbers_(only_numbers) {}

std::string LabelTexts::add(
    std::string_view text,
    std::vector<std::int32_t>& labels) {
  if (text.empty()) {
    return "the label is empty";
  }
  if (std::ranges::any_of(text, is_control)) {
    return fmt::format(
        "the label '{}' has zero bytes or control characters; expected text: a "
        "number, such as 3, or the name of a class",
        printable(text.substr(0, 40)));
  }
  const auto known = texts_.find(text);
  if (!known && texts_.size() == kMostClasses) {
    return fmt::format(
        "label '{}' would be a class beyond the limit of {}",
        shown(text),
        with_commas(kMostClasses));
  }
  labels.push_back(known ? *known : texts_.add(text));
  return "";
}

// Returns the number of classes; labels are smaller.
std::int64_t LabelTexts::class_limit() const {
  return classes_ > 0 ? classes_ : kMostClasses;
}

std::vector<LabelTexts::Reading> LabelTexts::read_texts(
    std::span<const std::int32_t> labels) const {
  std::vector<Reading> readings;
  for (const std::string& text : texts_.names()) {
    Reading& reading = readings.emplace_back();
    reading.name = names_.find(text);
    const auto digits = digits_of(text);
    if (!digits) {
      continue;
    }
    const bool zero_fraction = digits->point && is_whole(*digits);
    reading.is_numeric = true;
    reading.has_point = digits->point;
    const std::string_view unsigned_part =
        digits->whole.substr(digits->whole.find_first_of("0123456789"));
    reading.has_leading_zeros =
        unsigned_part.size() > 1 && unsigned_part.front() == '0';
    std::int64_t number = 0;
    if (is_whole(*digits) && parse_int(digits->whole, number)) {
      reading.number = number;
    }
    if (!reading.name && zero_fraction) {
      reading.name = names_.find(digits->whole);
    }
  }
  for (const std::int32_t label : labels) {
    ++readings[static_cast<std::size_t>(label)].count;
  }
  return readings;
}

bool LabelTexts::in_range(const Reading& reading) const {
  return reading.number && *reading.number >= 0 &&
      *reading.number < class_limit();
}

LabelForm LabelTexts::decide(const std::vector<Reading>& readings) const {
  if (only_numbers_) {
    return LabelForm::kNumbers;
  }
  if (trained_ != LabelForm::kNone && have_numeric_names(names_.names())) {
    return trained_;
  }
  std::int64_t all = 0;
  std::int64_t numbers = 0;
  std::int64_t names = 0;
  const bool named = names_.size() > 0;
  for (const Reading& reading : readings) {
    all += reading.count;
    numbers +=
        (named ? in_range(reading) : reading.is_numeric) ? reading.count : 0;
    names += (named ? reading.name.has_value() : !reading.is_numeric)
        ? reading.count
        : 0;
  }
  // Labels are names if all of them can be names, else numbers if all of them
  // can be numbers; otherwise the majority decides.
  return names > 0 && (names == all || (numbers < all && names > numbers))
      ? LabelForm::kNames
      : LabelForm::kNumbers;
}

std::string LabelTexts::find_number(
    const Reading& reading,
    std::string_view text,
    std::int32_t& label) const {
  if (!reading.number) {
    return fmt::format(
        "expected a whole number as label, as most others are, got '{}'{}",
        shown(text),
        names_.size() > 0 ? did_you_mean(text.substr(0, 200), names_.names())
                          : "");
  }
  if (*reading.number < 0) {
    return fmt::format(
        "label {} is negative; classes count from 0", *reading.number);
  }
  if (!in_range(reading)) {
    return fmt::format(
        "label {} is not one of the {} classes, 0 to {}{}",
        *reading.number,
        with_commas(class_limit()),
        class_limit() - 1,
        names_.size() > 0 ? fmt::format(", that {} names", source_) : "");
  }
  label = static_cast<std::int32_t>(*reading.number);
  return "";
}

// Looks up a name and returns "", or the problem. Without known names, `label`
// stays the number of the text, and a number is a problem.
std::string LabelTexts::find_name(
    const Reading& reading,
    std::string_view text,
    std::int32_t& label) const {
  if (reading.name) {
    label = *reading.name;
    return "";
  }
  if (names_.size() > 0) {
    return fmt::format(
        "label '{}' is not one of the {} classes that {} names.{}",
        shown(text),
        with_commas(classes_),
        source_,
        did_you_mean(text.substr(0, 200), names_.names()));
  }
  if (reading.is_numeric) {
    return fmt::format(
        "expected the name of a class as label, as most others are, got the "
        "number {}; where numbers are names, list all names in a class_map",
        shown(text));
  }
  return "";
}

std::string LabelTexts::find_class(
    const Reading& reading,
    std::string_view text,
    LabelForm form,
    std::int32_t& label) const {
  return form == LabelForm::kNumbers ? find_number(reading, text, label)
                                     : find_name(reading, text, label);
}

// Fills the class names; classes without a name get their number as name.
void LabelTexts::name_classes(
    const std::vector<std::int32_t>& labels,
    LabelForm form,
    Index::Contents& contents) const {
  contents.classes = names_.names();
  if (form == LabelForm::kNames && names_.size() == 0) {
    contents.classes = texts_.sorted(order_);
    return;
  }
  std::int64_t count = classes_;
  if (count == 0) {
    for (const std::int32_t label : labels) {
      count = std::max(count, std::int64_t{label} + 1);
    }
  }
  for (auto c = std::ssize(contents.classes); c < count; ++c) {
    contents.classes.push_back(std::to_string(c));
  }
}

void LabelTexts::add_notes(
    const std::vector<Reading>& readings,
    LabelForm form,
    std::vector<std::string>& notes) const {
  std::int64_t with_point = 0;
  std::int64_t with_zeros = 0;
  // Index of the first text that could be both a number and a name.
  std::size_t both = readings.size();
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const Reading& one = readings[i];
    with_point += one.has_point ? one.count : 0;
    with_zeros += one.has_leading_zeros ? one.count : 0;
    if (both == readings.size() && one.name && in_range(one) &&
        *one.name != *one.number) {
      both = i;
    }
  }
  if (form == LabelForm::kNumbers) {
    add_note(
        notes,
        "labels with a fraction of zeros, such as 2.0, that were read as whole "
        "numbers",
        with_point);
    add_note(
        notes,
        "labels with leading zeros, such as 007, that were read as whole "
        "numbers",
        with_zeros);
  }
  if (both == readings.size()) {
    return;
  }
  const std::string text = printable(texts_.names()[both]);
  const auto name_of_class = [&](std::int64_t label) {
    return printable(names_.names()[static_cast<std::size_t>(label)]);
  };
  notes.push_back(
      form == LabelForm::kNumbers
          ? fmt::format(
                "labels are read as numbers that count from 0, not as the "
                "names in {}: label {} is the class '{}'",
                source_,
                text,
                name_of_class(*readings[both].number))
          : fmt::format(
                "labels are read as the names in {}, not as numbers: label {} "
                "is class number {}",
                source_,
                text,
                *readings[both].name));
}

void LabelTexts::finish(Index::Contents& contents, const Wrong& wrong) {
  std::vector<std::int32_t>& labels =
      contents.set_starts.empty() ? contents.labels : contents.set_labels;
  const std::vector<Reading> readings = read_texts(labels);
  const LabelForm form = decide(readings);
  std::vector<std::int32_t> class_of(readings.size());
  std::vector<std::string> problem_of(readings.size());
  const std::vector<std::int32_t> places = names_.size() == 0
      ? texts_.places_in(texts_.sorted(order_))
      : std::vector<std::int32_t>(readings.size());
  for (std::size_t i = 0; i < readings.size(); ++i) {
    class_of[i] = places[i];
    problem_of[i] =
        find_class(readings[i], texts_.names()[i], form, class_of[i]);
  }
  for (std::size_t at = 0; at < labels.size(); ++at) {
    const auto text = static_cast<std::size_t>(labels[at]);
    if (!problem_of[text].empty()) {
      wrong(at, problem_of[text]);
    }
    labels[at] = class_of[text];
  }
  contents.label_form = form;
  name_classes(labels, form, contents);
  add_notes(readings, form, contents.notes);
}

void LabelTexts::finish(Index::Contents& contents) {
  finish(contents, [](std::size_t, const std::string& text) {
    fail_data("{}", text);
  });
}

} // namespace vitrain::data
