#include "core/error.h"

#include <new>

namespace vitrain {

const char* exit_code_name(ExitCode code) {
  switch (code) {
    case ExitCode::kDone:
      return "done";
    case ExitCode::kInternal:
      return "internal error";
    case ExitCode::kUsage:
      return "usage or config";
    case ExitCode::kData:
      return "data";
    case ExitCode::kWeights:
      return "weights or checkpoint";
    case ExitCode::kNonFinite:
      return "non-finite training";
    case ExitCode::kOutOfMemory:
      return "out of memory";
    case ExitCode::kWorkerDied:
      return "a worker died";
    case ExitCode::kStorage:
      return "storage";
    case ExitCode::kStopped:
      return "stopped on request";
  }
  return "unknown";
}

ExitCode exit_code_of(const std::exception& error) {
  if (const auto* own = dynamic_cast<const Error*>(&error)) {
    return own->code();
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    return ExitCode::kOutOfMemory;
  }
  return ExitCode::kInternal;
}

} // namespace vitrain
