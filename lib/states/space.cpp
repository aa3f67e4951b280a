#include "states/space.h"

#include <sys/statvfs.h>

#include <algorithm>

#include <ATen/core/Tensor.h>

#include "checkpoint/find.h"
#include "core/check.h"
#include "core/text.h"

namespace vitrain::states {
namespace {

// Bytes per tensor and per checkpoint for headers, manifest and folder.
constexpr double kPerTensor = 256;
constexpr double kPerCheckpoint = 64 << 10;

// Files that must still be possible: a checkpoint has at most four, its folder
// and two pointers, and a run adds some record files.
constexpr std::int64_t kLeastFiles = 32;

// Returns the state of the file system of `folder` or of its nearest existing
// parent; zeros if it is unknown.
struct statvfs status_of(const std::filesystem::path& folder) {
  std::filesystem::path path = folder;
  std::error_code ignored;
  while (!std::filesystem::exists(path, ignored) && path.has_relative_path()) {
    path = path.parent_path();
  }
  struct statvfs status {};
  return ::statvfs(path.c_str(), &status) == 0 ? status : (struct statvfs){};
}

double bytes_of(const std::map<std::string, at::Tensor>& tensors) {
  double bytes = 0.0;
  for (const auto& [name, tensor] : tensors) {
    bytes += kPerTensor + static_cast<double>(name.size()) +
        static_cast<double>(tensor.numel()) *
            static_cast<double>(tensor.element_size());
  }
  return bytes;
}

} // namespace

double checkpoint_bytes(
    const std::map<std::string, at::Tensor>& model,
    const std::map<std::string, at::Tensor>& optimizer) {
  return kPerCheckpoint + bytes_of(model) + bytes_of(optimizer);
}

std::optional<double> free_bytes(const std::filesystem::path& folder) {
  const struct statvfs status = status_of(folder);
  return status.f_blocks == 0 ? std::nullopt
                              : std::optional(
                                    static_cast<double>(status.f_bavail) *
                                    static_cast<double>(status.f_frsize));
}

double needed_bytes(
    const std::filesystem::path& folder,
    double checkpoint,
    double logs) {
  constexpr std::int64_t kCheckpoints = 3;
  const auto there =
      static_cast<std::int64_t>(checkpoint::list_steps(folder).size());
  const auto more = std::max(std::int64_t{1}, kCheckpoints - there);
  return static_cast<double>(more) * checkpoint + logs;
}

void check_space(
    const std::filesystem::path& folder,
    double bytes,
    const std::string& what) {
  const auto free = free_bytes(folder);
  VITRAIN_CHECK(
      !free || *free >= bytes,
      ExitCode::kStorage,
      "{}: {} are free, and {} are needed for {}: free space, or write "
      "elsewhere (-output)",
      printable(folder.native()),
      human_bytes(*free),
      human_bytes(bytes),
      what);
  const struct statvfs status = status_of(folder);
  const auto files = static_cast<std::int64_t>(status.f_favail);
  VITRAIN_CHECK(
      status.f_files == 0 || files >= kLeastFiles, // 0: there is no limit
      ExitCode::kStorage,
      "{}: {} can still be created in its file system (inodes), and {} are "
      "needed for {}: remove files, or write elsewhere (-output)",
      printable(folder.native()),
      counted(files, "file"),
      kLeastFiles,
      what);
}

} // namespace vitrain::states
