#include "data/subset.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/check.h"
#include "core/text.h"
#include "data/kinds/kinds.h"
#include "data/sources/class_names.h"
#include "data/sources/lines.h"
#include "data/sources/select.h"

namespace vitrain::data {
namespace {

constexpr const char* kUse =
    "eval.subset is a text file with the name or the number of a class on each "
    "line";

// Looks up the classes of a model by name or number.
class Outputs {
 public:
  // If the model's names or number of classes are unknown, uses those of
  // `data`.
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

  // Returns the class of each text, by name or number; nullopt if it is
  // neither. If class names look like numbers, either all texts are read as
  // names or all as numbers, by `trained` if that is undecided; adds a note if
  // both are possible. `what` describes the texts in messages.
  std::vector<std::optional<std::int32_t>> find(
      const std::vector<std::string>& texts,
      const std::string& what,
      LabelForm trained,
      std::vector<std::string>& notes) const {
    std::int64_t names = 0;
    std::int64_t numbers = 0;
    const std::string* both = nullptr;
    for (const std::string& text : texts) {
      const auto name = find_name(text);
      const auto number = find_number(text);
      names += name ? 1 : 0;
      numbers += number ? 1 : 0;
      both = name && number && *name != *number ? &text : both;
    }
    const bool divided = have_numeric_names(names_.names());
    const bool all_numbers =
        numbers > names || (numbers == names && trained == LabelForm::kNumbers);
    if (both != nullptr && names == numbers) {
      notes.push_back(fmt::format(
          "{} are read as {}, not as {}: {} could be both",
          what,
          all_numbers ? "numbers of classes" : "names of classes",
          all_numbers ? "names" : "numbers",
          printable(*both)));
    }
    std::vector<std::optional<std::int32_t>> found;
    for (const std::string& text : texts) {
      const auto name = find_name(text);
      const auto number = find_number(text);
      const auto any = name ? name : number;
      found.push_back(!divided ? any : all_numbers ? number : name);
    }
    return found;
  }
  bool knows(std::string_view text) const {
    return find_name(text) || find_number(text);
  }
  std::optional<std::int32_t> find_number(std::string_view text) const {
    std::int64_t number = 0;
    const bool is_number =
        parse_int(text, number) && number >= 0 && number < count_;
    return is_number ? std::optional(static_cast<std::int32_t>(number))
                     : std::nullopt;
  }

  // Returns why a text is not a class of the model.
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
  std::optional<std::int32_t> find_name(std::string_view text) const {
    return names_.find(text);
  }
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

// Reads the classes of the subset, in the order of the file. Throws
// Error(kData), naming the line, for a class that the model does not have and
// for a repeated one.
std::vector<std::int32_t> read_subset(
    const std::string& file,
    const Outputs& outputs,
    LabelForm trained,
    std::vector<std::string>& notes) {
  const std::string shown = printable(file);
  Lines lines(open_text(file, kUse), shown);
  std::vector<std::string> texts;
  std::vector<std::int64_t> numbers; // line number of each text
  for (std::string line; lines.next(line);) {
    const std::string_view text = trim(line);
    if (text.empty()) {
      continue;
    }
    const std::string_view word = text.substr(0, text.find_first_of(" \t,"));
    texts.emplace_back(
        !outputs.knows(text) && outputs.knows(word) ? word : text);
    numbers.push_back(lines.number());
  }
  const auto found = outputs.find(texts, "lines of " + shown, trained, notes);
  LineProblems problems(shown);
  std::vector<std::int32_t> classes;
  std::map<std::int32_t, std::int64_t> line_of;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (!found[i]) {
      problems.add(numbers[i], outputs.unknown(texts[i]));
      continue;
    }
    const auto [first, is_new] = line_of.emplace(*found[i], numbers[i]);
    if (is_new) {
      classes.push_back(*found[i]);
    } else {
      problems.add(
          numbers[i],
          fmt::format(
              "{} is listed already, in line {}",
              printable(texts[i].substr(0, 200)),
              first->second));
    }
  }
  problems.throw_if_any();
  VITRAIN_CHECK_DATA(!classes.empty(), "{}: is empty; {}", shown, kUse);
  return classes;
}

// Returns the model's class number for each class of the data, or nullopt. If
// the data's labels are numbers, they are the model's.
std::vector<std::optional<std::int32_t>> find_classes(
    const Index& data,
    const Outputs& outputs,
    std::vector<std::string>& notes) {
  const std::vector<std::string>& classes = data.classes();
  if (data.label_form() != LabelForm::kNumbers || !are_numbers(classes)) {
    return outputs.find(
        classes, "classes of the data", LabelForm::kNone, notes);
  }
  std::vector<std::optional<std::int32_t>> found;
  for (const std::string& number : classes) {
    found.push_back(outputs.find_number(number));
  }
  return found;
}

// Returns the model's class number for each class of the data. Throws
// Error(kData) for a class that the model does not have; but if the model's
// names are unknown and `listed` has as many classes as the data, returns
// `listed`, with a note.
std::vector<std::int32_t> places_of(
    const Index& data,
    const std::string& file,
    const Outputs& outputs,
    const std::vector<std::int32_t>& listed,
    std::vector<std::string>& notes) {
  const auto found = find_classes(data, outputs, notes);
  std::vector<std::int32_t> places;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i]) {
      places.push_back(*found[i]);
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
          outputs.unknown(data.classes()[i]));
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
  std::vector<std::string> notes;
  std::vector<std::int32_t> listed =
      read_subset(file, outputs, model.labels, notes);
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
