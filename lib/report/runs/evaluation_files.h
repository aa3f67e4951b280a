#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace vitrain::report {

// How often samples of one class were taken for another; rows are the true
// classes, as in evaluation/confusion.csv.
struct Confusion {
  std::vector<std::string> classes;
  std::vector<std::vector<std::int64_t>> counts;
};

// Another class than the right one.
struct Mistaken {
  std::size_t label = 0;
  std::size_t prediction = 0;
  std::int64_t count = 0;
};

// The pairs that were mistaken most often, at most `most`.
std::vector<Mistaken> most_mistaken(const Confusion& table, std::size_t most);

// What of a class was right, as in evaluation/per_class.csv.
struct ClassResult {
  std::string name;
  std::int64_t count = 0;
  std::int64_t correct = 0;

  double share() const {
    return count > 0 ? static_cast<double>(correct) / static_cast<double>(count)
                     : 0.0;
  }
};

// Files that an evaluation leaves in its folder. Each is empty where it is not
// there. Throw Error(kData) for one that is no such table.
Confusion read_confusion(const std::filesystem::path& file);
std::vector<ClassResult> read_per_class(const std::filesystem::path& file);

} // namespace vitrain::report
