#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "states/safetensors.h"

// Implements the verbs `weights ...`.
namespace vitrain::states {

// Options for reading a file.
struct WeightsChoice {
  // Name of a state dict in a file that has several ("model"); "": averaged
  // weights if the file has them, otherwise one with a usual name.
  std::string part;
  // Program whose tensor names the file has (weights::known_programs()); they
  // are converted to timm's. "auto": detected by the names.
  std::string names = "auto";
};

// Returns a line about the file, its notes (chosen part, detected program) and
// metadata, and a table of its tensors, as read_weights() names them. Does not
// read their values. Throws Error(kWeights).
std::string describe_weights(
    const std::filesystem::path& path,
    const WeightsChoice& choice);

struct WeightsDifference {
  // Notes (chosen part, detected program) of the first and the second file.
  std::vector<std::string> notes;
  // One per tensor that differs: "- NAME" is only in the first file, "+ NAME"
  // only in the second, "! NAME: ..." is in both.
  std::vector<std::string> lines;
  std::int64_t same = 0; // number of bitwise equal tensors
};

// Compares tensors of the same name, as read_weights() reads them: dtypes,
// shapes and values. For different values, reports their number and the largest
// finite difference. Throws Error(kWeights).
WeightsDifference compare_weights(
    const std::filesystem::path& first,
    const std::filesystem::path& second,
    const WeightsChoice& choice);

// Reads the tensors of a file, with timm's names and layouts and adapters
// merged. Replaces the content of `notes` by the file's notes (chosen part,
// detected program). Throws Error(kWeights).
TensorFile read_weights(
    const std::filesystem::path& path,
    const WeightsChoice& choice,
    std::vector<std::string>& notes);

// Returns the mean over files with the same names and shapes, computed in
// double precision, with the dtypes and metadata of the first file. Dtypes may
// differ only among floating-point ones. Of tensors that are neither
// floating-point nor complex, the last file's values are used. `paths` must not
// be empty. Replaces the content of `notes`, unless null, by the first file's
// notes (chosen part, detected program). Throws Error(kWeights).
TensorFile average_weights(
    const std::vector<std::filesystem::path>& paths,
    const WeightsChoice& choice,
    std::vector<std::string>* notes = nullptr);

// Throws Error(kUsage) if the file exists or its name has the extension of
// another format.
void check_new_weights(const std::filesystem::path& path);

// Writes a new safetensors file, which is synced to storage and gets its name
// only when it is complete. Throws as check_new_weights() and
// write_safetensors(), and Error(kStorage).
void write_new_weights(
    const std::filesystem::path& path,
    const TensorFile& file);

} // namespace vitrain::states
