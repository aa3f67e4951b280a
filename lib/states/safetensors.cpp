#include "states/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <c10/util/accumulate.h>

#include "core/check.h"
#include "core/hash.h"
#include "core/json.h"
#include "core/system/files.h"
#include "core/text.h"
#include "states/stored.h"
#include "states/tensor_type.h"
#include "weights/archive.h"

static_assert(
    std::endian::native == std::endian::little,
    "the format is little endian, and so is this reader");

namespace vitrain::states {
namespace {

// Returns the tensors in the order of the reference implementation's writer.
// Throws if a type cannot be stored (kInternal) or a name is not allowed.
std::vector<std::pair<std::string, at::Tensor>> in_order(
    const std::map<std::string, at::Tensor>& tensors) {
  std::vector<std::pair<std::string, at::Tensor>> list(
      tensors.begin(), tensors.end());
  for (const auto& [name, tensor] : list) {
    VITRAIN_CHECK(
        is_storable(tensor.scalar_type()),
        ExitCode::kInternal,
        "tensor '{}' has the type {}, which safetensors cannot store",
        printable(name),
        c10::toString(tensor.scalar_type()));
    weights::check_tensor_name(name, "a new safetensors file");
  }
  std::ranges::stable_sort(list, std::greater(), [](const auto& named) {
    return find_dtype(named.second.scalar_type());
  });
  return list;
}

// Returns the header: the length of the JSON text (uint64) and this text,
// padded with spaces to a multiple of 8 bytes. The length counts the padding.
std::string make_header(
    const std::vector<std::pair<std::string, at::Tensor>>& tensors,
    const std::map<std::string, std::string>& metadata) {
  Json json = Json::object();
  if (!metadata.empty()) {
    json[weights::kMetadataName] = metadata;
  }
  std::int64_t end = 0;
  for (const auto& [name, tensor] : tensors) {
    const std::int64_t begin = end;
    end += static_cast<std::int64_t>(tensor.nbytes());
    json[name] = {
        {"dtype", find_dtype(tensor.scalar_type())->name},
        {"shape", tensor.sizes().vec()},
        {"data_offsets", {begin, end}}};
  }
  std::string text = json.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  std::string header(sizeof(length), '\0');
  std::memcpy(header.data(), &length, sizeof(length));
  return header + text;
}

// Throws Error(kWeights) if the tensors together are much larger than the file:
// they may share a storage (tied weights), but a thousand views of one storage
// would fill the memory from a small file.
void check_copies(const weights::Archive& archive) {
  constexpr std::int64_t kMostUses = 4;
  constexpr std::int64_t kAlways = 64 << 20; // always allowed, in bytes
  std::int64_t left = kAlways;
  for (const std::int64_t bytes : archive.storages) {
    left += kMostUses * bytes;
  }
  for (const auto& [name, tensor] : archive.tensors) {
    // Cannot overflow: not larger than the tensor's parts, whose sizes were
    // checked.
    left -= c10::multiply_integers(tensor.shape) * tensor.type->bytes;
    VITRAIN_CHECK(
        left >= 0,
        ExitCode::kWeights,
        "{}: its tensors share their bytes so often that they have more than "
        "{} times as many as the file",
        archive.source,
        kMostUses);
  }
}

} // namespace

bool is_storable(at::ScalarType type) {
  return find_dtype(type) != nullptr;
}

TensorFile read_tensors(const weights::Archive& archive) {
  check_copies(archive);
  std::vector<const weights::StoredTensor*> stored;
  for (const auto& [name, tensor] : archive.tensors) {
    stored.push_back(&tensor);
  }
  StoredReader reader(archive, stored);
  TensorFile file{.metadata = archive.metadata};
  for (const auto& [name, tensor] : archive.tensors) {
    try {
      file.tensors.emplace(name, reader.read(tensor));
    } catch (const Error& error) {
      fail(error.code(), "{} (tensor '{}')", error.what(), printable(name));
    }
  }
  return file;
}

TensorFile read_safetensors(const std::filesystem::path& path) {
  return read_tensors(*weights::open_archive(path));
}

int write_safetensors(
    int fd,
    const TensorFile& file,
    Hasher* hasher,
    std::int64_t& bytes_written) {
  const auto put = [&](const void* bytes, std::size_t size) {
    if (hasher != nullptr) {
      hasher->update(bytes, size);
    }
    bytes_written += static_cast<std::int64_t>(size);
    return write_all(fd, bytes, size);
  };
  const auto tensors = in_order(file.tensors);
  const std::string header = make_header(tensors, file.metadata);
  int error = put(header.data(), header.size());
  for (const auto& [name, tensor] : tensors) {
    if (error != 0) {
      break;
    }
    const at::Tensor plain = tensor.detach().to(at::kCPU).contiguous();
    error = put(plain.data_ptr(), plain.nbytes());
  }
  return error;
}

} // namespace vitrain::states
