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
  std::filesystem::path path = folder;
  std::error_code ignored;
  while (!std::filesystem::exists(path, ignored) && path.has_relative_path()) {
    path = path.parent_path();
  }
  struct statvfs status {};
  if (::statvfs(path.c_str(), &status) != 0 || status.f_blocks == 0) {
    return std::nullopt;
  }
  return static_cast<double>(status.f_bavail) *
      static_cast<double>(status.f_frsize);
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
}

} // namespace vitrain::states
