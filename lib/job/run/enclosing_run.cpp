#include "job/run/enclosing_run.h"

namespace vitrain::job {

std::optional<RunDirectory> enclosing_run(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path inner = std::filesystem::canonical(path, error);
  if (error) {
    return std::nullopt;
  }
  if (std::filesystem::is_directory(inner / "checkpoints", error)) {
    return RunDirectory{inner};
  }
  for (; inner.has_relative_path(); inner = inner.parent_path()) {
    if (inner.filename() == "checkpoints") {
      return RunDirectory{inner.parent_path()};
    }
  }
  return std::nullopt;
}

} // namespace vitrain::job
