#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "results/confusion.h"

namespace vitrain::report {

// evaluation/confusion.csv.
struct NamedConfusion {
  std::vector<std::string> classes;
  results::Confusion counts{0, results::Confusion::Cells()};
};

// A row of evaluation/per_class.csv.
struct NamedClass {
  std::string name;
  results::ClassResult result; // its count, and what was correct
  // Where samples have lists of labels, from 0 to 1.
  std::optional<double> average_precision;

  // What it is judged by.
  double share() const { return average_precision.value_or(result.accuracy()); }
};

// Files that an evaluation leaves in its folder. Each is empty where it is not
// there. Throw Error(kData) for one that is no such table.
NamedConfusion read_confusion(const std::filesystem::path& file);
std::vector<NamedClass> read_per_class(const std::filesystem::path& file);

} // namespace vitrain::report
