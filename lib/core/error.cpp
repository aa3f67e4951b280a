#include "core/error.h"

#include <new>

#include "core/url.h"

namespace vitrain {

Error::Error(ExitCode code, const std::string& message)
    : std::runtime_error(hide_user_info(message)), code_(code) {}

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
