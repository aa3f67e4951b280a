#include "weights/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/system/missing_path.h"
#include "core/text.h"
#include "weights/weights_check.h"

namespace vitrain::weights {

InputFile::InputFile(const std::filesystem::path& path)
    : source_(printable(path.native())),
      // O_NONBLOCK: opening a FIFO without a writer must not hang.
      fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  VITRAIN_CHECK_WEIGHTS(
      fd_, "{}: cannot open: {}", source_, path_error_text(path, errno));
  struct stat status {};
  VITRAIN_CHECK_WEIGHTS(
      ::fstat(fd_.get(), &status) == 0, "{}: {}", source_, error_text(errno));
  VITRAIN_CHECK_WEIGHTS(
      S_ISREG(status.st_mode), "{}: is not a regular file", source_);
  size_ = status.st_size;
}

std::string InputFile::descriptor_path() const {
  return fmt::format("/proc/self/fd/{}", fd_.get());
}

void InputFile::read(void* bytes, std::int64_t size, std::int64_t offset)
    const {
  auto* next = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t got =
        ::pread(fd_.get(), next, static_cast<std::size_t>(size), offset);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    VITRAIN_CHECK_WEIGHTS(
        got > 0,
        "{}: cannot read {} bytes at {}: {}",
        source_,
        size,
        offset,
        got == 0 ? "the file became shorter" : error_text(errno));
    next += got;
    size -= got;
    offset += got;
  }
}

std::string InputFile::read(std::int64_t size, std::int64_t offset) const {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  read(bytes.data(), size, offset);
  return bytes;
}

} // namespace vitrain::weights
