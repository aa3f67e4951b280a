#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weights/archive.h"

namespace vitrain::weights {

// Header of a NumPy array: type with byte order ('<f4'), memory order and
// shape.
struct ArrayHeader {
  const DType* type = nullptr;
  // Size, in bytes, of the numbers whose byte order must be swapped (of a
  // complex element: half of it); 0: none.
  std::int64_t swapped = 0;
  bool fortran = false; // column-major
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0; // size of the values
  // Offset of the values, after the header of a .npy file.
  std::int64_t start = 0;
};

// Parses "f4" and similar types, with optional byte order; '|V2' is bfloat16,
// as JAX writes it. Sets header.type and header.swapped; returns false for
// other types (objects, texts, dates, "f16").
bool parse_array_type(std::string_view text, ArrayHeader& header);

// Computes header.bytes. Returns false if the number overflows, a size is
// negative, or there are more than 32 dimensions.
bool count_array_bytes(ArrayHeader& header);

// Parses the header of a .npy file (versions 1 to 3) that begins with `start`.
// Throws Error(kWeights): "<what>: ...".
ArrayHeader parse_npy_header(std::string_view start, const std::string& what);
// Longest accepted header, in bytes.
inline constexpr std::int64_t kNpyHeaderLimit = 65'536 + 12;

// Returns the array as a tensor of the storage with this index.
StoredTensor stored_array(const ArrayHeader& header, std::size_t storage);

// Reverses each `width` bytes of the `size` bytes; does nothing for `width` 0
// or 1.
void swap_bytes(void* bytes, std::int64_t size, std::int64_t width);

} // namespace vitrain::weights
