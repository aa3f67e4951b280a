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
// implementation, and is as strict: no holes, overlaps, trailing bytes or
// duplicate keys. Never allocates more than the file's size. Accepts NaN and
// Inf. Throws Error(kWeights) naming the file and the tensor.
TensorFile read_safetensors(const std::filesystem::path& path);

// Reads all tensors of a file of any format. Throws likewise, and if tensors
// share bytes so often that together they are many times larger than the file.
TensorFile read_tensors(const weights::Archive& archive);

// True if the format has this dtype (kFloat, kLong, ...).
bool is_storable(at::ScalarType type);

// Writes the format at the descriptor's current position, without fsync.
// Produces the same bytes as the reference implementation's writer (header
// padded to 8 bytes; tensors by descending size of their type, then by name),
// with `metadata` in the order of its keys. Tensors may be strided and on any
// device. Every byte written is also added to `hasher`, unless it is null. Adds
// to `bytes_written`. Returns 0 or the errno of the failure. Throws
// Error(kInternal) for a dtype that the format does not have, Error(kWeights)
// for an invalid name (weights::check_tensor_name).
int write_safetensors(
    int fd,
    const TensorFile& file,
    Hasher* hasher,
    std::int64_t& bytes_written);

} // namespace vitrain::states
