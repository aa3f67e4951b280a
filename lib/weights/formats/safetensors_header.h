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
  std::string dtype; // one of find_dtype
  std::vector<std::int64_t> shape;
  std::int64_t begin = 0; // bytes from the start of the data
  std::int64_t end = 0;
};

struct Header {
  std::vector<TensorEntry> tensors; // in the order of their data
  std::map<std::string, std::string> metadata;
};

// The reference implementation's limit on a header's bytes.
inline constexpr std::uint64_t kHeaderLimit = 100'000'000;

// Parses a header (the JSON text without its length) of a file that has
// `data_bytes` after it, and checks every rule of the format: types and shapes
// whose size does not overflow, offsets that agree with them and cover the data
// without hole, overlap or rest, no key twice, no unknown key. Throws
// Error(kWeights): "<source>: ...".
Header parse_header(
    std::string_view json,
    std::int64_t data_bytes,
    const std::string& source);

} // namespace vitrain::weights
