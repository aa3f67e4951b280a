#include "core/error.h"

#include <new>

namespace vitrain {

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
