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
  results::ClassResult result; // count and number of correct samples
  // Most frequent wrong prediction for its samples; "": none.
  std::string confused_with;
  // In [0, 1]; only for data with lists of labels.
  std::optional<double> average_precision;

  // Value by which classes are compared.
  double share() const { return average_precision.value_or(result.accuracy()); }
};

// Read the files of an evaluation, for any number of classes. A missing file
// gives an empty result. Throw Error(kData) for a file that is not such a
// table.
NamedConfusion read_confusion(const std::filesystem::path& file);
std::vector<NamedClass> read_per_class(const std::filesystem::path& file);
// confusion_pairs.csv, which is written for many classes.
results::Confusion::Cells read_confusion_pairs(
    const std::filesystem::path& file,
    std::int64_t classes);
// reliability.csv.
std::vector<results::Calibration::Bin> read_reliability(
    const std::filesystem::path& file);

} // namespace vitrain::report
