#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/sources/index.h"

namespace vitrain::data {

// Labels are below this.
constexpr std::int64_t kMostClasses = std::int64_t{1} << 20;

// A text file with a name per line, in the order of the classes' numbers.
// Throws Error(kData) with the line for an empty name or one that comes twice.
std::vector<std::string> read_class_names(const std::filesystem::path& path);

// What options.class_map names, as it is or in the folder that options.path is
// or lies in; empty without one.
std::vector<std::string> read_class_map(const SourceOptions& options);

// Whether the names are "0", "1", ...: those of classes that have none.
bool are_numbers(const std::vector<std::string>& classes);

// Whether class `a` comes before class `b`.
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

// Labels as people write them, numbers or names, to classes. The first one
// tells which of the two they are. Whole numbers may have a fraction of zeros,
// as pandas writes a column of numbers that lacked some: 2.0 is 2.
class LabelTexts {
 public:
  // `names` are those of the classes where they are known, and `source` says
  // from where; otherwise `classes` is their number, or 0 for as many as the
  // labels need.
  LabelTexts(
      std::vector<std::string> names,
      std::string source,
      std::int64_t classes,
      ClassOrder order);

  // Appends the label of the next sample to `labels`, or returns what is wrong
  // with it.
  std::string add(std::string_view text, std::vector<std::int32_t>& labels);
  // When all labels are added: puts the names of all classes into `contents`,
  // whose labels get their final numbers, and notes how they were read.
  void finish(Index::Contents& contents);

 private:
  enum class Kind { kUnknown, kNumbers, kNames };

  std::string add_text(
      std::string_view text,
      std::vector<std::int32_t>& labels);
  std::string add_number(
      std::string_view text,
      std::vector<std::int32_t>& labels);
  std::string add_name(
      std::string_view text,
      std::vector<std::int32_t>& labels);
  void order_names(Index::Contents& contents);

  NumberedNames names_;
  std::string source_;
  bool named_; // names_ is given and does not grow
  std::int64_t classes_;
  ClassOrder order_;
  Kind kind_ = Kind::kUnknown;
  std::int64_t decimal_ = 0; // labels that were written as 2.0
};

} // namespace vitrain::data
