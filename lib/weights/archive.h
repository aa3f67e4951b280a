#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weights/dtype.h"

// Weights files of any supported format.
namespace vitrain::weights {

// A strided view of a storage.
struct StridedPart {
  std::size_t storage = 0; // index into Archive::storages
  std::int64_t offset = 0; // of the first element, in elements
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides; // in elements, as in torch
};

// Returns the row-major strides of a shape, as torch: sizes of 0 count as 1.
std::vector<std::int64_t> contiguous_strides(
    const std::vector<std::int64_t>& shape);

// A tensor of a file, without its values: the parts are concatenated along
// dimension 0 and viewed as `shape`, which has the same number of elements.
struct StoredTensor {
  const DType* type = nullptr;
  std::vector<std::int64_t> shape;
  std::vector<StridedPart> parts;
  // Values, of the same type and number, to add to the tensor's; nullopt: none.
  std::optional<StridedPart> added;
};

// An opened weights file. Every name, type, shape and offset has been checked
// against the file's size. Values are read on request.
class Archive {
 public:
  virtual ~Archive() = default;

  std::string source; // path, for messages
  const char* format = ""; // name of the format: "safetensors"
  std::map<std::string, StoredTensor> tensors;
  // Metadata of safetensors files; empty for other formats.
  std::map<std::string, std::string> metadata;
  std::vector<std::int64_t> storages; // size of each storage, in bytes
  // Messages for the user: "took 'model_ema'; the file also has 'model'".
  std::vector<std::string> notes;
  // True if the program that wrote the file pads convolutions as TensorFlow
  // does: an odd pixel of padding is at the end. Set by to_timm_names().
  bool tensorflow_padding = false;

  // Reads all bytes of a storage into `bytes`, in this machine's byte order.
  // Only one thread at a time may call. Throws Error(kWeights), also for a
  // wrong checksum.
  virtual void read(std::size_t storage, void* bytes) const = 0;
};

// Longest tensor name, in bytes. No program's names reach 200.
inline constexpr std::size_t kLongestName = 4'096;

// Name of the metadata in a safetensors header.
inline constexpr const char* kMetadataName = "__metadata__";

// Throws Error(kWeights) "<source>: ..." for a name longer than kLongestName.
void check_name_length(std::string_view name, const std::string& source);

// Throws as check_name_length(), and for names that are invalid in a
// safetensors file: kMetadataName and invalid UTF-8.
void check_tensor_name(std::string_view name, const std::string& source);

// Opens a file of safetensors, PyTorch (zip, or before 1.6), NumPy (.npz) or
// PaddlePaddle, detected by its content, or an index of several files that
// together hold one network's tensors, as transformers writes it. Executes
// nothing in the file; memory is bounded by the files' size. `part` names a
// state dict in a pickled checkpoint that has several ("model", "outer.inner");
// "" prefers averaged weights, then the usual names (state_dict.h). Throws
// Error(kWeights): "<path>: ...", also for a part of safetensors files,
// .npz files and indices.
std::unique_ptr<Archive> open_archive(
    const std::filesystem::path& path,
    const std::string& part = "");

// Returns the metadata of a safetensors file, or, for an index, the metadata
// that all its files have; empty for other formats. Throws as open_archive().
std::map<std::string, std::string> read_metadata(
    const std::filesystem::path& path);

// Returns the files that contain the tensors of open_archive(): those named by
// an index, in its folder, whether they exist or not; otherwise only `path`.
// Throws as open_archive().
std::vector<std::filesystem::path> files_of(const std::filesystem::path& path);

} // namespace vitrain::weights
