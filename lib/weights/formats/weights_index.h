#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weights/formats/input_file.h"

// Index written by transformers' save_pretrained() for weights divided among
// several files (model.safetensors.index.json).
namespace vitrain::weights {

// Size limit of an index; 100,000 tensors take 15 MB.
inline constexpr std::int64_t kIndexLimit = 32 << 20;
// Files in it. Each is open while they are read, and a process may usually have
// 1,024.
inline constexpr std::size_t kMostFiles = 512;

struct WeightsIndex {
  std::vector<std::string> files; // names in the folder of the index
  std::map<std::string, std::size_t> tensors; // by name: an index into `files`

  // The files of an index that is at this path.
  std::vector<std::filesystem::path> paths(
      const std::filesystem::path& index) const;
};

// Parses it: an object whose 'weight_map' has the name of a file for each
// tensor, no tensor twice, no file that lies elsewhere. What else it has is not
// looked at. Throws Error(kWeights): "<source>: ...".
WeightsIndex parse_index(std::string_view json, const std::string& source);

// Reads the index from a file. Throws likewise.
WeightsIndex read_index(const InputFile& file);

} // namespace vitrain::weights
