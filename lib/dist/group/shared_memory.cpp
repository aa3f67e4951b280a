#include "dist/group/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include <ATen/ATen.h>

#include "core/check.h"
#include "core/system/files.h"
#include "dist/group/collectives.h"

namespace vitrain::dist {
namespace {

Fd create(std::size_t bytes) {
  Fd file(::memfd_create("vitrain-weights", MFD_CLOEXEC));
  VITRAIN_CHECK(
      file.get() >= 0 &&
          ::ftruncate(file.get(), static_cast<off_t>(bytes)) == 0,
      ExitCode::kInternal,
      "{} bytes of shared memory for the weights: {}",
      bytes,
      std::strerror(errno));
  return file;
}

// Returns a text that identifies a memory file, because the same path may lead
// to a different file on another machine or in another container; "" on
// failure.
std::string identity(const Fd& file) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    return "";
  }
  std::ifstream boot_file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(boot_file, boot);
  return fmt::format(
      "{} {} {} {}", status.st_dev, status.st_ino, status.st_size, boot);
}

// Opens rank 0's memory file through its process's descriptors in /proc. Throws
// Error(kUsage) if that fails or the file's identity() is not `expected`.
Fd open_of_first(const std::string& path, const std::string& expected) {
  Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  const char* reason = file.get() < 0 ? std::strerror(errno)
      : identity(file) != expected    ? "it is another file here"
                                      : nullptr;
  VITRAIN_CHECK(
      reason == nullptr,
      ExitCode::kUsage,
      "the shared weights of rank 0 cannot be opened ({}): {}. dist.sync.mode: "
      "hogwild needs all workers on one machine, in one container and under "
      "one user",
      path,
      reason);
  return file;
}

} // namespace

at::Tensor share_memory(Group& control, const at::Tensor& tensor) {
  const std::size_t bytes = tensor.nbytes();
  Fd file;
  std::string path;
  if (control.rank() == 0) {
    file = create(bytes);
    path = fmt::format("/proc/{}/fd/{}", ::getpid(), file.get());
  }
  const std::string first = all_gather_bytes(control, path)[0];
  const std::string first_identity =
      all_gather_bytes(control, control.rank() == 0 ? identity(file) : "")[0];
  if (control.rank() != 0) {
    file = open_of_first(first, first_identity);
  }
  void* memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  VITRAIN_CHECK(
      memory != MAP_FAILED,
      ExitCode::kInternal,
      "{} bytes of shared memory for the weights: {}",
      bytes,
      std::strerror(errno));
  at::Tensor shared = at::from_blob(
      memory,
      tensor.sizes(),
      [bytes](void* start) { ::munmap(start, bytes); },
      tensor.options());
  if (control.rank() == 0) {
    shared.copy_(tensor);
  }
  control.barrier(); // all ranks have mapped it and see rank 0's values
  return shared;
}

} // namespace vitrain::dist
