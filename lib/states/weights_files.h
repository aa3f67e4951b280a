#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "states/safetensors.h"

// Implementation of the verbs `weights ...`.
namespace vitrain::states {

// Choices for reading a file: open_archive's part, to_timm_names' program.
struct WeightsChoice {
  std::string part;
  std::string names = "auto";
};

// Returns a table of a file's tensors, after a line about the file and the
// chosen part. Reads no values. Throws Error(kWeights).
std::string describe_weights(
    const std::filesystem::path& path,
    const WeightsChoice& choice);

struct WeightsDifference {
  std::vector<std::string>
      notes; // chosen parts of the first and the second file
  std::vector<std::string> lines; // one for each tensor that differs
  std::int64_t same = 0; // tensors equal to the last bit
};

// Compares tensors by name: tensors in one file only, different dtypes and
// shapes, and, for different bytes, the number of values and the largest finite
// difference. Throws likewise.
WeightsDifference compare_weights(
    const std::filesystem::path& first,
    const std::filesystem::path& second,
    const WeightsChoice& choice);

// Reads the tensors of a file, with notes on the chosen part. Throws likewise.
TensorFile read_weights(
    const std::filesystem::path& path,
    const WeightsChoice& choice,
    std::vector<std::string>& notes);

// Returns the mean over files with the same names and shapes, computed in
// double precision, with the dtypes of the first file. Tensors that are neither
// floating-point nor complex must have one dtype in all files; the last file's
// value is taken. Throws likewise. `notes`, if not null, receives the chosen
// part of the first file.
TensorFile average_weights(
    const std::vector<std::filesystem::path>& paths,
    const WeightsChoice& choice,
    std::vector<std::string>* notes = nullptr);

// Throws Error(kUsage) if the file exists or its name belongs to another
// format.
void check_new_weights(const std::filesystem::path& path);

// Writes a new safetensors file, durably, under its name when it is complete.
// Throws as check_new_weights(), Error(kStorage).
void write_new_weights(
    const std::filesystem::path& path,
    const TensorFile& file);

} // namespace vitrain::states
