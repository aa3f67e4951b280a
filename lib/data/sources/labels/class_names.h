#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/sources/index.h"
#include "data/sources/labels/label_form.h"

namespace vitrain::data {

// Labels are below this.
constexpr std::int64_t kMostClasses = std::int64_t{1} << 20;

// Reads a text file with one name per line, in the order of the classes. Throws
// Error(kData) with the line of an empty or repeated name.
std::vector<std::string> read_class_names(const std::filesystem::path& path);

// Reads options.class_map, looked up as it is, or in the folder options.path or
// its parent; empty without a class map.
std::vector<std::string> read_class_map(const SourceOptions& options);

// Returns true if the names are "0", "1", ...: unnamed classes.
bool are_numbers(const std::vector<std::string>& classes);

// Whether the name of a class could be taken for the number of another one.
bool have_numeric_names(const std::vector<std::string>& classes);

// Returns true if class `a` precedes class `b`.
bool class_less(ClassOrder order, std::string_view a, std::string_view b);

// Names with a number each, in the order in which they came.
class NumberedNames {
 public:
  explicit NumberedNames(std::vector<std::string> names = {});
  const std::vector<std::string>& names() const { return names_; }
  std::int64_t size() const { return std::ssize(names_); }
  std::optional<std::int32_t> find(std::string_view name) const;
  // The number of a name that is new.
  std::int32_t add(std::string_view name);
  std::vector<std::string> sorted(ClassOrder order) const;
  // For each name its place in `classes`, or -1.
  std::vector<std::int32_t> places_in(std::vector<std::string> classes) const;

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::int32_t> numbers_;
};

// Adds notes on classes that no sample has, `labels` being those of all
// samples: how many they are, and whether the labels seem to count from 1.
void note_empty_classes(
    std::span<const std::int32_t> labels,
    Index::Contents& contents);

// Labels as people write them, numbers or names, to classes. Which of the two
// they are is decided over all of them, in finish(). Whole numbers may have a
// fraction of zeros, as pandas writes a column of numbers that lacked some: 2.0
// is 2.
class LabelTexts {
 public:
  // `names`: known class names, `source`: their origin. Otherwise `classes` is
  // the number of classes; 0: as many as the labels need. `trained` is how the
  // training data write their labels: where a name could be taken for the
  // number of another class, that holds. `only_numbers`: labels are numbers,
  // whatever the names are.
  LabelTexts(
      std::vector<std::string> names,
      std::string source,
      std::int64_t classes,
      ClassOrder order,
      LabelForm trained = LabelForm::kNone,
      bool only_numbers = false);

  // Appends a number that stands for the text to `labels`, or returns a problem
  // of the text that does not depend on other labels.
  std::string add(std::string_view text, std::vector<std::int32_t>& labels);

  // Receives the position of a label and its problem.
  using Wrong = std::function<void(std::size_t at, const std::string& text)>;
  // Decides how to read the labels after all are added: replaces the labels in
  // `contents` (set_labels if there are set_starts, else labels) by class
  // numbers, fills `classes` and `label_form`, and adds a note. Calls `wrong`
  // for each label without a class, in order.
  void finish(Index::Contents& contents, const Wrong& wrong);
  // As above, but throws Error(kData) for the first label without a class.
  void finish(Index::Contents& contents);

 private:
  // The possible meanings of a text.
  struct Reading {
    bool is_numeric = false; // digits, with a sign or a point
    bool has_point = false;
    bool has_leading_zeros = false;
    std::optional<std::int64_t> number; // whole
    std::optional<std::int32_t> name; // of names_
    std::int64_t count = 0; // of labels with this text
  };
  std::int64_t class_limit() const;
  std::vector<Reading> read_texts(std::span<const std::int32_t> labels) const;
  bool in_range(const Reading& reading) const;
  LabelForm decide(const std::vector<Reading>& readings) const;
  std::string find_class(
      const Reading& reading,
      std::string_view text,
      LabelForm form,
      std::int32_t& label) const;
  std::string find_number(
      const Reading& reading,
      std::string_view text,
      std::int32_t& label) const;
  std::string find_name(
      const Reading& reading,
      std::string_view text,
      std::int32_t& label) const;
  void name_classes(
      const std::vector<std::int32_t>& labels,
      LabelForm form,
      Index::Contents& contents) const;
  void add_notes(
      const std::vector<Reading>& readings,
      LabelForm form,
      std::vector<std::string>& notes) const;

  NumberedNames names_; // given, of the classes
  std::string source_;
  std::int64_t classes_;
  ClassOrder order_;
  LabelForm trained_;
  bool only_numbers_;
  NumberedNames texts_; // all that were added
};

} // namespace vitrain::data
