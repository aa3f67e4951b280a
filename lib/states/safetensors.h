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

// Tensors and metadata of a weights file. Tensors that were read are contiguous
// and on the CPU.
struct TensorFile {
  std::map<std::string, at::Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

// Reads a whole file. Its content decides the format, as in open_archive();
// safetensors files are read as strictly as by version 0.x of the reference
// implementation: no holes, overlaps, trailing bytes or duplicate keys. Accepts
// NaN and Inf. Throws Error(kWeights) naming the file and, if one is at fault,
// the tensor.
TensorFile read_safetensors(const std::filesystem::path& path);

// Reads all tensors of an archive. Throws as read_safetensors(), and if tensors
// share bytes so often that together they exceed 4 times the storages' size
// plus 64 MiB.
TensorFile read_tensors(const weights::Archive& archive);

// True if safetensors files can contain this dtype (kFloat, kLong, ...).
bool is_storable(at::ScalarType type);

// Writes a safetensors file at the current position of `fd`, without fsync.
// Produces the same bytes as the reference implementation's writer (header
// padded to 8 bytes; tensors by descending size of their type, then by name),
// with `metadata` in the order of its keys. Tensors may be strided and on any
// device. Adds the bytes to `hasher`, unless it is null, and their number to
// `bytes_written`. Returns 0 or the errno of the failure, after which the file
// is incomplete. Throws Error(kInternal) for a dtype that is not is_storable(),
// Error(kWeights) for a tensor name that safetensors forbids or that is too
// long.
int write_safetensors(
    int fd,
    const TensorFile& file,
    Hasher* hasher,
    std::int64_t& bytes_written);

} // namespace vitrain::states
