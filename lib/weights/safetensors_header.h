#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vitrain::weights {

// Entry of a tensor in the header of a .safetensors file.
struct TensorEntry {
  std::string name;
  std::string dtype; // name of a type in find_dtype()
  std::vector<std::int64_t> shape;
  std::int64_t begin = 0; // offset in bytes from the start of the data
  std::int64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<TensorEntry> tensors; // ordered by offset
  std::map<std::string, std::string> metadata;
};

// Largest header that the reference implementation accepts, in bytes.
inline constexpr std::uint64_t kHeaderLimit = 100'000'000;
// Most tensors, and most entries of the metadata. Models have some thousands.
inline constexpr std::size_t kMostNames = 100'000;

// Parses a header (the JSON text after its length) of a file with `data_bytes`
// bytes after it. Checks every rule of the format: known types, sizes that do
// not overflow, offsets that match the sizes and cover the data without gaps,
// overlaps or trailing bytes, no duplicate and no unknown keys. Throws
// Error(kWeights): "<source>: ...".
SafetensorsHeader parse_header(
    std::string_view json,
    std::int64_t data_bytes,
    const std::string& source);

} // namespace vitrain::weights
