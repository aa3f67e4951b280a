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
#include "data/sources/label_form.h"

namespace vitrain::data {

// Maximum number of classes; labels are smaller.
constexpr std::int64_t kMostClasses = std::int64_t{1} << 20;

namespace detail {
// Returns "0", "1", ..., the names of classes without names.
std::vector<std::string> numbered_classes(std::int64_t count);
} // namespace detail

// Reads a text file with one class name per line, in the order of the class
// numbers; trims names. Throws Error(kData) for an empty file, and naming the
// line of an empty or repeated name or of one beyond kMostClasses.
std::vector<std::string> read_class_names(const std::filesystem::path& path);

// Reads the file options.class_map. If that path does not exist, tries it
// relative to the folder options.path (or, if that is a file, to its parent).
// Returns no names if no class map is set. Throws like read_class_names().
std::vector<std::string> read_class_map(const SourceOptions& options);

// Returns true if the names are "0", "1", ..., as of classes without names;
// also if there are no names.
bool are_numbers(const std::vector<std::string>& classes);

// Returns true if the name of any class is the number of another class.
bool have_numeric_names(const std::vector<std::string>& classes);

// Returns true if class `a` precedes class `b` in this order.
bool class_less(ClassOrder order, std::string_view a, std::string_view b);

// Numbers names in the order in which they are added.
class NumberedNames {
 public:
  explicit NumberedNames(std::vector<std::string> names = {});
  const std::vector<std::string>& names() const { return names_; }
  std::int64_t size() const { return std::ssize(names_); }
  std::optional<std::int32_t> find(std::string_view name) const;
  // Adds a name, which must be new, and returns its number.
  std::int32_t add(std::string_view name);
  std::vector<std::string> sorted(ClassOrder order) const;
  // Returns for each of names() its index in `classes`, or -1.
  std::vector<std::int32_t> places_in(std::vector<std::string> classes) const;

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::int32_t> numbers_;
};

// Adds notes on classes without samples: their number, and whether labels seem
// to count from 1. `labels` are the labels of all samples, in [0, number of
// classes); `contents` must have its options, classes and label_form.
void note_empty_classes(
    std::span<const std::int32_t> labels,
    Index::Contents& contents);

// Converts labels as people write them, numbers or names, to classes. finish()
// decides from all labels which of the two they are. Whole numbers may have a
// fraction of zeros, since pandas writes 2.0 for 2 in a column with missing
// values.
class LabelTexts {
 public:
  // `names`: known class names; `source`: where they come from, for messages.
  // `classes`: number of classes if there are no names; 0: derived from the
  // labels. `order`: order of the classes if their names come from the labels.
  // `trained`: form of the training data's labels, which decides if a class
  // name could be mistaken for the number of another class. `only_numbers`:
  // labels are always numbers, whatever the names are.
  LabelTexts(
      std::vector<std::string> names,
      std::string source,
      std::int64_t classes,
      ClassOrder order,
      LabelForm trained = LabelForm::kNone,
      bool only_numbers = false);

  // Appends to `labels` a temporary number for the text. Returns "", or a
  // problem with the text that is independent of other labels; then nothing is
  // appended.
  std::string add(std::string_view text, std::vector<std::int32_t>& labels);

  // Called with the index of a label and a description of its problem.
  using Wrong = std::function<void(std::size_t at, const std::string& text)>;
  // Decides how to read the labels after all are added: replaces the labels in
  // `contents` (set_labels if there are set_starts, else labels) by class
  // numbers, fills `classes` and `label_form`, and adds notes on labels that
  // could be read otherwise. Calls `wrong` for each label without a class, in
  // order; such a label has no meaning afterwards.
  void finish(Index::Contents& contents, const Wrong& wrong);
  // Calls finish(); throws Error(kData) for the first label without a class.
  void finish(Index::Contents& contents);

 private:
  // Possible meanings of a label text.
  struct Reading {
    bool is_numeric = false; // a decimal number, optionally with sign and point
    bool has_point = false;
    bool has_leading_zeros = false;
    std::optional<std::int64_t> number; // its value if it is a whole number
    std::optional<std::int32_t> name; // index in names_ if it is a name
    std::int64_t count = 0; // number of labels with this text
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

  NumberedNames names_; // known class names
  std::string source_;
  std::int64_t classes_;
  ClassOrder order_;
  LabelForm trained_;
  bool only_numbers_;
  NumberedNames texts_; // all label texts
};

} // namespace vitrain::data
