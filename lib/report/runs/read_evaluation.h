#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/calibration.h"
#include "results/confusion.h"

namespace vitrain::report {

// Which class was taken for which, and what the classes are called.
struct NamedConfusion {
  std::vector<std::string> classes;
  results::Confusion counts{0, results::Confusion::Cells()};
};

// A row of evaluation/per_class.csv.
struct NamedClass {
  std::string name;
  results::ClassResult result; // its count, and what was correct
  // What its samples are taken for most often instead; "": nothing.
  std::string confused_with;
  // Of lists of labels, from 0 to 1.
  std::optional<double> average_precision;

  // Value by which the class is judged.
  double share() const { return average_precision.value_or(result.accuracy()); }
};

// Files that an evaluation leaves in its folder. Each is empty if there is no
// such file. They may be of any number of classes. Throw Error(kData) for one
// that is no such table.
NamedConfusion read_confusion(const std::filesystem::path& file);
std::vector<NamedClass> read_per_class(const std::filesystem::path& file);
// confusion_pairs.csv, of many classes.
results::Confusion::Cells read_confusion_pairs(
    const std::filesystem::path& file,
    std::int64_t classes);
// reliability.csv.
std::vector<results::Calibration::Bin> read_reliability(
    const std::filesystem::path& file);

} // namespace vitrain::report
