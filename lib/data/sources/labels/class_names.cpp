#include "data/sources/labels/class_names.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "core/check.h"
#include "core/text/text.h"
#include "data/sources/kinds/kinds.h"
#include "data/sources/lines.h"
#include "data/sources/natural_order.h"

namespace vitrain::data {

namespace fs = std::filesystem;

namespace {

// The digits of a number and, where it has a point, those behind it.
struct Digits {
  std::string_view whole; // with the sign
  std::string_view fraction;
  bool point = false;
};

// Nothing for what is no plain decimal number; exponents, nan and hexadecimal
// digits may be names.
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

} // namespace

std::vector<std::string> read_class_names(const fs::path& path) {
  const std::string shown = printable(path.native());
  Lines lines(
      open_text(path, "it has to have the name of a class on each line"),
      shown);
  std::vector<std::string> names;
  std::set<std::string, std::less<>> seen;
  for (std::string line; lines.next(line);) {
    const std::string_view name = trim(line);
    VITRAIN_CHECK_DATA(
        !name.empty() && std::ssize(names) < kMostClasses,
        "{}:{}: expected the name of class {}, got {}; this file has one name "
        "per line, in the order of the labels",
        shown,
        lines.number(),
        names.size(),
        name.empty() ? "an empty line" : "too many of them");
    VITRAIN_CHECK_DATA(
        seen.emplace(name).second,
        "{}:{}: '{}' is the name of a class before it, too",
        shown,
        lines.number(),
        printable(name));
    names.emplace_back(name);
  }
  VITRAIN_CHECK_DATA(
      !names.empty(),
      "{}: is empty; expected the name of a class on each line",
      shown);
  return names;
}

std::vector<std::string> read_class_map(const SourceOptions& options) {
  if (options.class_map.empty()) {
    return {};
  }
  std::error_code error;
  const fs::path path = options.class_map;
  const fs::path dataset = options.path;
  const fs::path folder =
      fs::is_directory(dataset, error) ? dataset : dataset.parent_path();
  return read_class_names(
      fs::exists(path, error) || !fs::exists(folder / path, error)
          ? path
          : folder / path);
}

bool are_numbers(const std::vector<std::string>& classes) {
  return classes == detail::numbered_classes(std::ssize(classes));
}

bool class_less(ClassOrder order, std::string_view a, std::string_view b) {
  return order == ClassOrder::kTimm ? natural_less(a, b) : a < b;
}

NumberedNames::NumberedNames(std::vector<std::string> names)
    : names_(std::move(names)) {
  for (const std::string& name : names_) {
    numbers_.emplace(name, static_cast<std::int32_t>(numbers_.size()));
  }
}

std::optional<std::int32_t> NumberedNames::find(std::string_view name) const {
  const auto found = numbers_.find(std::string(name));
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

std::int32_t NumberedNames::add(std::string_view name) {
  const auto number = static_cast<std::int32_t>(names_.size());
  names_.emplace_back(name);
  numbers_.emplace(name, number);
  return number;
}

std::vector<std::string> NumberedNames::sorted(ClassOrder order) const {
  std::vector<std::string> names = names_;
  std::ranges::sort(names, [&](const auto& a, const auto& b) {
    return class_less(order, a, b);
  });
  return names;
}

std::vector<std::int32_t> NumberedNames::places_in(
    std::vector<std::string> classes) const {
  const NumberedNames numbered(std::move(classes));
  std::vector<std::int32_t> places;
  for (const std::string& name : names_) {
    places.push_back(numbered.find(name).value_or(-1));
  }
  return places;
}

LabelTexts::LabelTexts(
    std::vector<std::string> names,
    std::string source,
    std::int64_t classes,
    ClassOrder order)
    : names_(std::move(names)),
      source_(std::move(source)),
      named_(names_.size() > 0),
      classes_(named_ ? names_.size() : classes),
      order_(order) {}

std::string LabelTexts::add(
    std::string_view text,
    std::vector<std::int32_t>& labels) {
  const auto digits = digits_of(text);
  const bool known = named_ && names_.find(text);
  if (known || !digits || !digits->point || !is_whole(*digits)) {
    return add_text(text, labels);
  }
  std::string wrong = add_text(digits->whole, labels);
  decimal_ += wrong.empty() ? 1 : 0;
  return wrong;
}

std::string LabelTexts::add_text(
    std::string_view text,
    std::vector<std::int32_t>& labels) {
  const auto digits = digits_of(text);
  const bool known = named_ && names_.find(text);
  if (kind_ == Kind::kUnknown) {
    if (digits && !is_whole(*digits) && !known) {
      return fmt::format(
          "label {} is no whole number; classes are numbered, or have names",
          printable(text.substr(0, 200)));
    }
    kind_ = known || !digits ? Kind::kNames : Kind::kNumbers;
  }
  if (kind_ == Kind::kNumbers) {
    return add_number(text, labels);
  }
  if (digits && !named_) {
    return fmt::format(
        "expected the name of a class as label, as before, got the number {}; "
        "where numbers are names, list all names in a class_map",
        printable(text.substr(0, 200)));
  }
  return add_name(text, labels);
}

std::string LabelTexts::add_number(
    std::string_view text,
    std::vector<std::int32_t>& labels) {
  std::int64_t label = 0;
  if (!parse_int(text, label)) {
    return fmt::format(
        "expected a whole number as label, as before, got '{}'",
        printable(text.substr(0, 200)));
  }
  if (label < 0) {
    return fmt::format("label {} is negative; classes count from 0", label);
  }
  const std::int64_t most = classes_ > 0 ? classes_ : kMostClasses;
  if (label >= most) {
    return fmt::format(
        "label {} is not one of the {} classes, 0 to {}{}",
        label,
        with_commas(most),
        most - 1,
        named_ ? fmt::format(", that {} names", source_) : "");
  }
  labels.push_back(static_cast<std::int32_t>(label));
  return "";
}

std::string LabelTexts::add_name(
    std::string_view text,
    std::vector<std::int32_t>& labels) {
  if (text.empty()) {
    return "the label is empty";
  }
  if (const auto number = names_.find(text)) {
    labels.push_back(*number);
    return "";
  }
  const std::string name = printable(text.substr(0, 200));
  if (named_) {
    return fmt::format(
        "label '{}' is not one of the {} classes that {} names.{}",
        name,
        with_commas(classes_),
        source_,
        did_you_mean(text.substr(0, 200), names_.names()));
  }
  if (names_.size() == kMostClasses) {
    return fmt::format(
        "label '{}' would be a class beyond the limit of {}",
        name,
        with_commas(kMostClasses));
  }
  labels.push_back(names_.add(text));
  return "";
}

// Names were numbered as they came.
void LabelTexts::order_names(Index::Contents& contents) {
  contents.classes = names_.sorted(order_);
  const auto places = names_.places_in(contents.classes);
  for (auto* labels : {&contents.labels, &contents.set_labels}) {
    for (std::int32_t& label : *labels) {
      label = places[static_cast<std::size_t>(label)];
    }
  }
}

void LabelTexts::finish(Index::Contents& contents) {
  if (decimal_ > 0) {
    contents.notes.push_back(fmt::format(
        "labels with a fraction of zeros, such as 2.0, that were read as whole "
        "numbers: {}",
        with_commas(decimal_)));
  }
  if (kind_ == Kind::kNames && !named_) {
    order_names(contents);
    return;
  }
  contents.classes = names_.names();
  std::int64_t count = classes_;
  if (count == 0) {
    for (const auto* labels : {&contents.labels, &contents.set_labels}) {
      for (const std::int32_t label : *labels) {
        count = std::max(count, std::int64_t{label} + 1);
      }
    }
  }
  // Numbers, where there are no names.
  for (auto c = std::ssize(contents.classes); c < count; ++c) {
    contents.classes.push_back(std::to_string(c));
  }
}

} // namespace vitrain::data
