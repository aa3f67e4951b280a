#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "states/safetensors.h"

// Implements the verbs `weights ...`.
namespace vitrain::states {

// Options for reading a file: the part (open_archive) and the program whose
// names it has (to_timm_names).
struct WeightsChoice {
  std::string part;
  std::string names = "auto";
};

// Returns a line about the file and its chosen part, and a table of its
// tensors. Does not read values. Throws Error(kWeights).
std::string describe_weights(
    const std::filesystem::path& path,
    const WeightsChoice& choice);

struct WeightsDifference {
  // Chosen parts of the first and the second file.
  std::vector<std::string> notes;
  std::vector<std::string> lines; // one per tensor that differs
  std::int64_t same = 0; // number of bitwise equal tensors
};

// Compares tensors by name. Reports tensors in only one file, different dtypes
// and shapes, and, for different values, their number and the largest finite
// difference. Throws likewise.
WeightsDifference compare_weights(
    const std::filesystem::path& first,
    const std::filesystem::path& second,
    const WeightsChoice& choice);

// Reads the tensors of a file; adds a note on the chosen part to `notes`.
// Throws likewise.
TensorFile read_weights(
    const std::filesystem::path& path,
    const WeightsChoice& choice,
    std::vector<std::string>& notes);

// Returns the mean over files with the same names and shapes, computed in
// double precision, with the dtypes of the first file. Tensors that are neither
// floating-point nor complex must have the same dtype in all files; the last
// file's values are used. Throws likewise. Adds the chosen part of the first
// file to `notes`, unless it is null.
TensorFile average_weights(
    const std::vector<std::filesystem::path>& paths,
    const WeightsChoice& choice,
    std::vector<std::string>* notes = nullptr);

// Throws Error(kUsage) if the file exists or its name has the extension of
// another format.
void check_new_weights(const std::filesystem::path& path);

// Writes a new safetensors file. It is synced to storage and gets its name only
// when it is complete. Throws as check_new_weights(), and Error(kStorage).
void write_new_weights(
    const std::filesystem::path& path,
    const TensorFile& file);

} // namespace vitrain::states
