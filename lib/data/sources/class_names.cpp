#include "data/sources/class_names.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

#include "core/check.h"
#include "core/text.h"
#include "data/sources/lines.h"
#include "data/sources/natural_order.h"

namespace vitrain::data {

namespace fs = std::filesystem;

std::vector<std::string> detail::numbered_classes(std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) {
    names.push_back(std::to_string(i));
  }
  return names;
}

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

void note_empty_classes(
    std::span<const std::int32_t> labels,
    Index::Contents& contents) {
  std::vector<bool> seen(contents.classes.size());
  for (const std::int32_t label : labels) {
    seen[static_cast<std::size_t>(label)] = true;
  }
  const std::int64_t empty = std::ranges::count(seen, false);
  add_note(contents.notes, "classes without an image", empty);
  // Applies only if the number of classes is derived from the labels.
  const bool from_one = contents.options.classes == 0 && seen.size() > 2 &&
      !seen[0] && empty == 1;
  if (from_one && contents.label_form == LabelForm::kNumbers) {
    contents.notes.push_back(fmt::format(
        "warning: no label is 0, and all from 1 to {} are there: labels count "
        "from 0 (subtract 1 from each if these count from 1)",
        with_commas(std::ssize(seen) - 1)));
  }
}

} // namespace vitrain::data
