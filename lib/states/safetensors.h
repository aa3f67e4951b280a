#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include <ATen/core/Tensor.h>

#include "weights/archive.h"

namespace vitrain {
class Hasher;
} // namespace vitrain

namespace vitrain::states {

// Content of a .safetensors file. Tensors are contiguous, on the CPU.
struct TensorFile {
  std::map<std::string, at::Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

// Reads a whole file of the safetensors format, version 0.x of the reference
// implementation, as strictly as that does: no holes, overlaps, trailing bytes
// or duplicate keys. Never allocates more than the file's size. NaN and Inf are
// values like any other. Throws Error(kWeights) naming file and tensor.
TensorFile read_safetensors(const std::filesystem::path& path);

// Reads all tensors of a file of any format. Throws likewise, also if tensors
// share bytes so often that they exceed the file's size many times.
TensorFile read_tensors(const weights::Archive& archive);

// Returns true if this dtype can be stored (kFloat, kLong, ...).
bool is_storable(at::ScalarType type);

// Writes the format at the descriptor's position, without fsync: the same
// tensors give the same bytes as the reference implementation's writer (header
// padded to 8 bytes; tensors by descending size of their type, then by name),
// and `metadata` in the order of its keys. Any device, strided tensors too.
// Every byte written also goes into `hasher` unless it is null. Adds to
// `bytes_written`. Returns 0 or the errno of the failure. Throws
// Error(kInternal) for a type that the format does not have, Error(kWeights)
// for a name (weights::check_tensor_name).
int write_safetensors(
    int fd,
    const TensorFile& file,
    Hasher* hasher,
    std::int64_t& bytes_written);

} // namespace vitrain::states
