#include "core/error.h"

#include <new>
#include <system_error>

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
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  return system != nullptr &&
          system->code() == std::errc::resource_unavailable_try_again
      ? ExitCode::kUsage
      : ExitCode::kInternal;
}

} // namespace vitrain
