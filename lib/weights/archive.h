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

// Files of weights, whatever wrote them.
namespace vitrain::weights {

// Some elements of a storage.
struct StridedPart {
  std::size_t storage = 0; // index into Archive::storages
  std::int64_t offset = 0; // of the first, in elements
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides; // in elements, as torch's
};

// Row-major strides of a shape.
std::vector<std::int64_t> contiguous_strides(
    const std::vector<std::int64_t>& shape);

// A tensor as a file has it, without its values: its parts one after the other
// along dimension 0, then seen with `shape`, which has as many elements.
struct StoredTensor {
  const DType* type = nullptr;
  std::vector<std::int64_t> shape;
  std::vector<StridedPart> parts;
  std::optional<StridedPart> added; // as many values, to add to them
};

// An opened file: every name, type, shape and place has been checked against
// the bytes that are there. Values are read when they are asked for.
class Archive {
 public:
  virtual ~Archive() = default;

  std::string source; // its path, for messages
  const char* format = ""; // "safetensors"
  std::map<std::string, StoredTensor> tensors;
  std::map<std::string, std::string> metadata; // of safetensors
  std::vector<std::int64_t> storages; // the bytes of each
  // Notes for the user: "took 'model_ema'; the file also has 'model'".
  std::vector<std::string> notes;
  // True if the program that wrote it pads convolutions as TensorFlow does:
  // what a stride leaves over stands at the end. Set by to_timm_names().
  bool tensorflow_padding = false;

  // Reads all bytes of a storage, in this machine's byte order. Throws
  // Error(kWeights), also for a wrong checksum.
  virtual void read(std::size_t storage, void* bytes) const = 0;
};

// Bytes of a tensor's name; no program's has 200.
inline constexpr std::size_t kLongestName = 4'096;

// Name of the metadata in a safetensors header.
inline constexpr const char* kMetadataName = "__metadata__";

// Throws Error(kWeights): "<source>: ..." for a longer one.
void check_name_length(std::string_view name, const std::string& source);

// Also throws for names that are invalid in a safetensors file: kMetadataName,
// and bytes that are no UTF-8.
void check_tensor_name(std::string_view name, const std::string& source);

// Opens a file of safetensors, PyTorch (zip and before 1.6), NumPy (.npz) or
// PaddlePaddle, known by its content, or the index of several that have one
// network's tensors together, as transformers writes it. Nothing in it is
// executed; memory is bounded by the files' size. `part` names the state dict
// of a checkpoint that has several ("model", "outer.inner"); "": averaged
// weights first, then the usual names. Throws Error(kWeights): "<path>: ...".
std::unique_ptr<Archive> open_archive(
    const std::filesystem::path& path,
    const std::string& part = "");

// Returns the metadata of a safetensors file, or the common metadata of an
// index's files; empty for other formats. Throws likewise.
std::map<std::string, std::string> read_metadata(
    const std::filesystem::path& path);

// Returns the files with the tensors of open_archive(): the files named by an
// index, in its folder, present or not; otherwise `path` alone. Throws
// likewise.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& path);

} // namespace vitrain::weights
