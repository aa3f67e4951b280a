#include "data/class_names.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <system_error>
#include <utility>

#include "core/check.h"
#include "core/text.h"
#include "data/lines.h"
#include "data/natural_order.h"

namespace vitrain::data {

namespace fs = std::filesystem;

std::vector<std::string> read_class_names(const fs::path& path) {
  const std::string shown = printable(path.native());
  Lines lines(
      open_text(path, "it has to have the name of a class on each line"),
      shown);
  std::vector<std::string> names;
  std::set<std::string, std::less<>> seen;
  for (std::string line; lines.next(line);) {
    const std::string_view name = trim(line);
    VITRAIN_CHECK(
        !name.empty() && std::ssize(names) < kMostClasses,
        ExitCode::kData,
        "{}:{}: expected the name of class {}, got {}; this file has one name "
        "per line, in the order of the labels",
        shown,
        lines.number(),
        names.size(),
        name.empty() ? "an empty line" : "too many of them");
    VITRAIN_CHECK(
        seen.emplace(name).second,
        ExitCode::kData,
        "{}:{}: '{}' is the name of a class before it, too",
        shown,
        lines.number(),
        printable(name));
    names.emplace_back(name);
  }
  VITRAIN_CHECK(
      !names.empty(),
      ExitCode::kData,
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

bool class_less(ClassOrder order, std::string_view a, std::string_view b) {
  return order == ClassOrder::kTimm ? natural_less(a, b) : a < b;
}

LabelTexts::LabelTexts(
    std::vector<std::string> names,
    std::string source,
    std::int64_t classes,
    ClassOrder order)
    : names_(std::move(names)),
      source_(std::move(source)),
      named_(!names_.empty()),
      classes_(named_ ? std::ssize(names_) : classes),
      order_(order) {
  for (const std::string& name : names_) {
    numbers_.emplace(name, static_cast<std::int32_t>(numbers_.size()));
  }
}

std::string LabelTexts::add(
    std::string_view text,
    std::vector<std::int32_t>& labels) {
  if (kind_ == Kind::kUnknown) {
    std::int64_t number = 0;
    const bool name =
        numbers_.contains(std::string(text)) || !parse_int(text, number);
    kind_ = name ? Kind::kNames : Kind::kNumbers;
  }
  return kind_ == Kind::kNames ? add_name(text, labels)
                               : add_number(text, labels);
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
  const auto found = numbers_.find(std::string(text));
  if (found != numbers_.end()) {
    labels.push_back(found->second);
    return "";
  }
  const std::string name = printable(text.substr(0, 200));
  if (named_) {
    return fmt::format(
        "label '{}' is not one of the {} classes that {} names.{}",
        name,
        with_commas(classes_),
        source_,
        did_you_mean(text.substr(0, 200), names_));
  }
  if (std::ssize(names_) == kMostClasses) {
    return fmt::format(
        "label '{}' would be a class beyond the limit of {}",
        name,
        with_commas(kMostClasses));
  }
  const auto number = static_cast<std::int32_t>(names_.size());
  names_.emplace_back(text);
  numbers_.emplace(text, number);
  labels.push_back(number);
  return "";
}

// Names were numbered as they came.
void LabelTexts::order_names(Index::Contents& contents) {
  std::vector<std::size_t> by_name(names_.size());
  std::iota(by_name.begin(), by_name.end(), std::size_t{0});
  std::ranges::sort(by_name, [&](std::size_t a, std::size_t b) {
    return class_less(order_, names_[a], names_[b]);
  });
  std::vector<std::int32_t> renumbered(names_.size());
  for (std::size_t i = 0; i < by_name.size(); ++i) {
    renumbered[by_name[i]] = static_cast<std::int32_t>(i);
    contents.classes.push_back(std::move(names_[by_name[i]]));
  }
  for (std::int32_t& label : contents.labels) {
    label = renumbered[static_cast<std::size_t>(label)];
  }
}

void LabelTexts::finish(Index::Contents& contents) {
  if (kind_ == Kind::kNames && !named_) {
    order_names(contents);
    return;
  }
  contents.classes = std::move(names_);
  std::int64_t count = classes_;
  if (count == 0 && !contents.labels.empty()) {
    count = std::int64_t{*std::ranges::max_element(contents.labels)} + 1;
  }
  // Numbers, where there are no names.
  for (auto c = std::ssize(contents.classes); c < count; ++c) {
    contents.classes.push_back(std::to_string(c));
  }
}

} // namespace vitrain::data
