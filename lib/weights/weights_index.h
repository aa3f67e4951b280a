#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weights/input_file.h"

// Index that transformers' save_pretrained() writes for weights split into
// several files (model.safetensors.index.json).
namespace vitrain::weights {

// Size limit of an index, in bytes; 100,000 tensors take 15 MB.
inline constexpr std::int64_t kIndexLimit = 32 << 20;
// Limit on the number of files: all are open at once, and a process may usually
// have 1,024 open.
inline constexpr std::size_t kMostFiles = 512;

struct WeightsIndex {
  std::vector<std::string> files; // file names in the folder of the index
  // Index into `files`, by tensor name.
  std::map<std::string, std::size_t> tensors;

  // Returns the paths of the files for an index at this path.
  std::vector<std::filesystem::path> paths(
      const std::filesystem::path& index) const;
};

// Parses an object whose 'weight_map' maps each tensor name to a file name,
// without duplicate names and without files in other folders; there must be a
// tensor, and at most kMostFiles files. Ignores other members. Throws
// Error(kWeights): "<source>: ...".
WeightsIndex parse_index(std::string_view json, const std::string& source);

// Reads the index from a file. Throws as parse_index().
WeightsIndex read_index(const InputFile& file);

} // namespace vitrain::weights
