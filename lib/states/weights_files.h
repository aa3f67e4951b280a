#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "states/safetensors.h"

// What the verbs `weights ...` do with files of weights.
namespace vitrain::states {

// How such a file is read: open_archive's part, to_timm_names' program.
struct WeightsChoice {
  std::string part;
  std::string names = "auto";
};

// A table of its tensors, with a line about the file in front and what was
// chosen of it. Reads no values. Throws Error(kWeights).
std::string describe_weights(
    const std::filesystem::path& path,
    const WeightsChoice& choice);

struct WeightsDifference {
  std::vector<std::string> notes; // what was chosen of the first, the second
  std::vector<std::string> lines; // one for each tensor that differs
  std::int64_t same = 0; // tensors equal to the last bit
};

// By name: which has it alone, other types and shapes, and for other bytes of
// how many values and the largest finite difference. Throws likewise.
WeightsDifference compare_weights(
    const std::filesystem::path& first,
    const std::filesystem::path& second,
    const WeightsChoice& choice);

// The tensors of a file, and what was chosen of it. Throws likewise.
TensorFile read_weights(
    const std::filesystem::path& path,
    const WeightsChoice& choice,
    std::vector<std::string>& notes);

// The mean of the values of files with the same names and shapes, in double
// precision, of the type in the first; what is neither a floating-point nor a
// complex number has one type in all of them and the value in the last. Throws
// likewise. `notes` gets, when it is not null, what was chosen of the first.
TensorFile average_weights(
    const std::vector<std::filesystem::path>& paths,
    const WeightsChoice& choice,
    std::vector<std::string>* notes = nullptr);

// Throws Error(kUsage) where write_new_weights() would: there is a file of this
// name already, or the name is that of another format.
void check_new_weights(const std::filesystem::path& path);

// Writes a new safetensors file, durably, under its name when it is complete.
// Throws as check_new_weights(), Error(kStorage).
void write_new_weights(
    const std::filesystem::path& path,
    const TensorFile& file);

} // namespace vitrain::states
