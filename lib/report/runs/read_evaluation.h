#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/calibration.h"
#include "results/confusion.h"

namespace vitrain::report {

// A confusion matrix with class names.
struct NamedConfusion {
  std::vector<std::string> classes;
  results::Confusion counts{0, results::Confusion::Cells()};
};

// Row of evaluation/per_class.csv.
struct NamedClass {
  std::string name;
  results::ClassResult result; // only count, correct and confused are set
  // Most frequent wrong prediction for its samples; "": none.
  std::string confused_with;
  // In [0, 1]; only for data with lists of labels.
  std::optional<double> average_precision;

  // Returns the value on the page: average precision or, without it, accuracy.
  double share() const { return average_precision.value_or(result.accuracy()); }
};

// Read tables that write_evaluation() has written: confusion.csv,
// per_class.csv. A missing or empty file gives an empty result. Throw
// Error(kData) for a file that is not such a table.
NamedConfusion read_confusion(const std::filesystem::path& file);
std::vector<NamedClass> read_per_class(const std::filesystem::path& file);
// As read_confusion(), for confusion_pairs.csv, which replaces confusion.csv if
// there are many classes. Class numbers must be below `classes`.
results::Confusion::Cells read_confusion_pairs(
    const std::filesystem::path& file,
    std::int64_t classes);
// As read_confusion(), for reliability.csv. Counts of correct samples are
// rounded.
std::vector<results::Calibration::Bin> read_reliability(
    const std::filesystem::path& file);

} // namespace vitrain::report
