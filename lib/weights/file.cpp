#include "weights/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "core/check.h"
#include "core/text.h"

namespace vitrain::weights {
namespace {

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

} // namespace

WeightsFile::WeightsFile(const std::filesystem::path& path)
    : source(printable(path.native())) {
  const std::int64_t file_bytes = open_regular(fd, path);
  const std::string text = header_text(fd, file_bytes, source);
  start = kLengthBytes + static_cast<std::int64_t>(text.size());
  header = parse_header(text, file_bytes - start, source);
}

void WeightsFile::read(void* bytes, std::int64_t size, std::int64_t offset)
    const {
  read_exactly(fd, bytes, size, start + offset, source);
}

} // namespace vitrain::weights
