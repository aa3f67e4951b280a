#include "weights/safetensors.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <ATen/ATen.h>

#include "core/check.h"
#include "core/files.h"
#include "core/hash.h"
#include "core/json.h"
#include "core/text.h"
#include "weights/dtype.h"

static_assert(
    std::endian::native == std::endian::little,
    "the format is little endian, and so is this reader");

namespace vitrain::weights {
namespace {

constexpr std::int64_t kLengthBytes = 8;

// pread of exactly [offset, offset + size); a file that shrinks meanwhile is an
// error, not a signal.
void read_exactly(
    const Fd& fd,
    void* bytes,
    std::int64_t size,
    std::int64_t offset,
    const std::string& source) {
  auto* next = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t got =
        ::pread(fd.get(), next, static_cast<std::size_t>(size), offset);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    VITRAIN_CHECK(
        got > 0,
        ExitCode::kWeights,
        "{}: cannot read {} bytes at {}: {}",
        source,
        size,
        offset,
        got == 0 ? "the file became shorter" : error_text(errno));
    next += got;
    size -= got;
    offset += got;
  }
}

std::int64_t open_regular(Fd& fd, const std::filesystem::path& path) {
  const std::string source = printable(path.native());
  // O_NONBLOCK: opening a FIFO without a writer must not hang.
  fd = Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  VITRAIN_CHECK(
      fd, ExitCode::kWeights, "{}: cannot open: {}", source, error_text(errno));
  struct stat status {};
  VITRAIN_CHECK(
      ::fstat(fd.get(), &status) == 0,
      ExitCode::kWeights,
      "{}: {}",
      source,
      error_text(errno));
  VITRAIN_CHECK(
      S_ISREG(status.st_mode),
      ExitCode::kWeights,
      "{}: is not a regular file",
      source);
  return status.st_size;
}

// What the start of a file that torch.save wrote adds to a refusal: a zip
// archive, or before PyTorch 1.6 a pickle of protocol 2.
std::string_view hint_for(std::uint64_t start) {
  const bool zip = (start & 0xFFFFFFFF) == 0x04034B50; // "PK\3\4"
  const bool pickle = (start & 0xFFFF) == 0x0280;
  return zip || pickle
      ? "; it looks like one of PyTorch: write its weights with "
        "safetensors.torch.save_file"
      : "";
}

std::string
header_text(const Fd& fd, std::int64_t file_bytes, const std::string& source) {
  VITRAIN_CHECK(
      file_bytes >= kLengthBytes,
      ExitCode::kWeights,
      "{}: not a safetensors file: it has only {} bytes",
      source,
      file_bytes);
  std::uint64_t length = 0;
  read_exactly(fd, &length, kLengthBytes, 0, source);
  VITRAIN_CHECK(
      length <= kHeaderLimit,
      ExitCode::kWeights,
      "{}: not a safetensors file: a header of {} bytes (at most {}){}",
      source,
      length,
      kHeaderLimit,
      hint_for(length));
  VITRAIN_CHECK(
      length <= static_cast<std::uint64_t>(file_bytes - kLengthBytes),
      ExitCode::kWeights,
      "{}: the header has {} bytes, the file only {} after its length: "
      "truncated, or not a safetensors file",
      source,
      length,
      file_bytes - kLengthBytes);
  std::string header(length, '\0');
  read_exactly(
      fd,
      header.data(),
      static_cast<std::int64_t>(length),
      kLengthBytes,
      source);
  return header;
}

// A file whose header has been read.
struct OpenFile {
  std::string source; // its path, for messages
  Fd fd;
  std::int64_t start = 0; // of the data
  Header header;

  explicit OpenFile(const std::filesystem::path& path)
      : source(printable(path.native())) {
    const std::int64_t file_bytes = open_regular(fd, path);
    const std::string text = header_text(fd, file_bytes, source);
    start = kLengthBytes + static_cast<std::int64_t>(text.size());
    header = parse_header(text, file_bytes - start, source);
  }
};

// A byte that is neither 0 nor 1 is no bool of C++.
void check_booleans(const at::Tensor& tensor, const std::string& at) {
  const auto* bytes = static_cast<const std::uint8_t*>(tensor.data_ptr());
  VITRAIN_CHECK(
      std::all_of(
          bytes, bytes + tensor.numel(), [](std::uint8_t b) { return b < 2; }),
      ExitCode::kWeights,
      "{}: a boolean that is neither 0 nor 1",
      at);
}

// Tensors in the reference writer's order.
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
  }
  std::ranges::stable_sort(list, std::greater(), [](const auto& named) {
    return find_dtype(named.second.scalar_type());
  });
  return list;
}

// The length and the JSON text, padded with blanks to a multiple of 8.
std::string make_header(
    const std::vector<std::pair<std::string, at::Tensor>>& tensors,
    const std::map<std::string, std::string>& metadata) {
  Json json = Json::object();
  if (!metadata.empty()) {
    json["__metadata__"] = metadata;
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

} // namespace

bool is_storable(at::ScalarType type) {
  return find_dtype(type) != nullptr;
}

Header read_header(const std::filesystem::path& path) {
  return OpenFile(path).header;
}

TensorFile read_safetensors(const std::filesystem::path& path) {
  OpenFile opened(path);
  TensorFile file;
  file.metadata = std::move(opened.header.metadata);
  for (const TensorEntry& entry : opened.header.tensors) {
    at::Tensor tensor = at::empty(entry.shape, find_dtype(entry.dtype)->type);
    read_exactly(
        opened.fd,
        tensor.data_ptr(),
        entry.end - entry.begin,
        opened.start + entry.begin,
        opened.source);
    if (tensor.scalar_type() == at::kBool) {
      check_booleans(
          tensor,
          fmt::format("{}: tensor '{}'", opened.source, printable(entry.name)));
    }
    file.tensors.emplace(entry.name, std::move(tensor));
  }
  return file;
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

} // namespace vitrain::weights
