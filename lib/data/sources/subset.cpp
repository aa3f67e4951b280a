#include "data/sources/subset.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/check.h"
#include "core/text/text.h"
#include "data/sources/kinds/kinds.h"
#include "data/sources/labels/class_names.h"
#include "data/sources/lines.h"
#include "data/sources/select.h"

namespace vitrain::data {
namespace {

constexpr const char* kUse =
    "eval.subset is a text file with the name or the number of a class on each "
    "line";

// The classes of a model, found by name or number.
class Outputs {
 public:
  // `data` has as many classes as the model where nothing else is known of it,
  // and then its names.
  Outputs(const ModelClasses& model, const Index& data)
      : names_(names_of_model(model, data)),
        count_(
            names_.size() > 0     ? names_.size()
                : model.count > 0 ? model.count
                                  : std::ssize(data.classes())) {}

  std::int64_t count() const { return count_; }
  bool are_named() const { return names_.size() > 0; }
  std::vector<std::string> classes() const {
    return are_named() ? names_.names() : detail::numbered_classes(count_);
  }

  std::optional<std::int32_t> find(std::string_view text) const {
    if (const auto named = names_.find(text)) {
      return named;
    }
    std::int64_t number = 0;
    const bool is_number =
        parse_int(text, number) && number >= 0 && number < count_;
    return is_number ? std::optional(static_cast<std::int32_t>(number))
                     : std::nullopt;
  }

  // Why a text is none of them.
  std::string unknown(std::string_view text) const {
    const std::string shown = printable(text.substr(0, 200));
    return are_named()
        ? fmt::format(
              "'{}' is none of the {} classes of the model.{}",
              shown,
              with_commas(count_),
              did_you_mean(text.substr(0, 200), names_.names()))
        : fmt::format(
              "'{}' is no number from 0 to {}, and the names of the model's "
              "classes are not known: name all of them in order in "
              "data.eval.class_map",
              shown,
              count_ - 1);
  }

 private:
  static std::vector<std::string> names_of_model(
      const ModelClasses& model,
      const Index& data) {
    if (!are_numbers(model.names)) {
      return model.names;
    }
    const bool same = model.count == 0 || model.count == data_count(data);
    return same && !are_numbers(data.classes()) ? data.classes()
                                                : std::vector<std::string>();
  }
  static std::int64_t data_count(const Index& data) {
    return std::ssize(data.classes());
  }

  NumberedNames names_;
  std::int64_t count_;
};

// In the order of the file.
std::vector<std::int32_t> read_subset(
    const std::string& file,
    const Outputs& outputs) {
  const std::string shown = printable(file);
  Lines lines(open_text(file, kUse), shown);
  LineProblems problems(shown);
  std::vector<std::int32_t> classes;
  std::map<std::int32_t, std::int64_t> line_of;
  for (std::string line; lines.next(line);) {
    const std::string_view text = trim(line);
    if (text.empty()) {
      continue;
    }
    auto number = outputs.find(text);
    if (!number) {
      number = outputs.find(text.substr(0, text.find_first_of(" \t,")));
    }
    if (!number) {
      problems.add(lines.number(), outputs.unknown(text));
      continue;
    }
    const auto [first, is_new] = line_of.emplace(*number, lines.number());
    if (is_new) {
      classes.push_back(*number);
    } else {
      problems.add(
          lines.number(),
          fmt::format(
              "{} is listed already, in line {}",
              printable(text.substr(0, 200)),
              first->second));
    }
  }
  problems.throw_if_any();
  VITRAIN_CHECK_DATA(!classes.empty(), "{}: is empty; {}", shown, kUse);
  return classes;
}

// The number in the model of each of the data's classes.
std::vector<std::int32_t> places_of(
    const Index& data,
    const std::string& file,
    const Outputs& outputs,
    const std::vector<std::int32_t>& listed,
    std::vector<std::string>& notes) {
  std::vector<std::int32_t> places;
  for (const std::string& name : data.classes()) {
    if (const auto place = outputs.find(name)) {
      places.push_back(*place);
    } else if (!outputs.are_named() && listed.size() == data.classes().size()) {
      notes.push_back(fmt::format(
          "classes are those that {} lists, in its order: nothing tells their "
          "names",
          printable(file)));
      return listed;
    } else {
      fail_data(
          "{}: a class of the data is not the model's: {}",
          printable(data.options().path),
          outputs.unknown(name));
    }
  }
  return places;
}

} // namespace

Index restrict_to_subset(
    const Index& data,
    const std::string& file,
    const ModelClasses& model) {
  const Outputs outputs(model, data);
  std::vector<std::int32_t> listed = read_subset(file, outputs);
  std::vector<std::string> notes;
  const std::vector<std::int32_t> places =
      places_of(data, file, outputs, listed, notes);
  const auto place_of = [&](std::int64_t sample) {
    return places[static_cast<std::size_t>(data.label(sample))];
  };
  std::vector<std::int64_t> images(static_cast<std::size_t>(outputs.count()));
  std::ranges::sort(listed);
  std::vector<std::int64_t> samples;
  for (std::int64_t i = 0; i < data.size(); ++i) {
    if (std::ranges::binary_search(listed, place_of(i))) {
      samples.push_back(i);
      ++images[static_cast<std::size_t>(place_of(i))];
    }
  }
  VITRAIN_CHECK_DATA(
      !samples.empty(),
      "{}: no image is of a class that {} lists",
      printable(data.options().path),
      printable(file));
  add_note(
      notes,
      "left out images of classes that eval.subset does not list",
      data.size() - std::ssize(samples));
  add_note(
      notes,
      "classes of eval.subset without an image",
      std::ranges::count_if(listed, [&](std::int32_t one) {
        return images[static_cast<std::size_t>(one)] == 0;
      }));
  Index::Contents contents = select(data, samples);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    contents.labels[i] = place_of(samples[i]);
  }
  contents.classes = outputs.classes();
  contents.subset = std::move(listed);
  contents.notes.insert(contents.notes.end(), notes.begin(), notes.end());
  return Index(std::move(contents));
}

} // namespace vitrain::data
