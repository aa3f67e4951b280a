#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weights/archive.h"

namespace vitrain::weights {

// Header of a NumPy array: dtype with byte order ('<f4').
struct ArrayHeader {
  const DType* type = nullptr;
  std::int64_t swapped =
      0; // element size if the byte order must be swapped, otherwise 0
  bool fortran = false; // column-major
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0; // of the values
  std::int64_t start = 0; // of the values, after the header of a .npy
};

// Parses "f4" and similar, with optional byte order; '|V2' is bfloat16, as JAX
// writes it. Returns false for types that are no numbers (objects, texts,
// dates).
bool parse_array_type(std::string_view text, ArrayHeader& header);

// Computes `bytes`; returns false if they or the shape overflow.
bool count_array_bytes(ArrayHeader& header);

// The header of a .npy file (versions 1 to 3), of which `start` is the
// beginning. Throws Error(kWeights): "<what>: ...".
ArrayHeader parse_npy_header(std::string_view start, const std::string& what);
// The longest header that is read, in bytes.
inline constexpr std::int64_t kNpyHeaderLimit = 65'536 + 12;

// The array as a tensor of that storage.
StoredTensor stored_array(const ArrayHeader& header, std::size_t storage);

// Turns each group of `width` bytes around.
void swap_bytes(void* bytes, std::int64_t size, std::int64_t width);

} // namespace vitrain::weights
