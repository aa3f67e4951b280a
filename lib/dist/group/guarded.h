#pragma once

#include <exception>
#include <string>

#include "core/check.h"

namespace vitrain::dist {

// Returns c10d's error message without the stack trace after it.
inline std::string first_line(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

// Calls c10d. Whatever that throws means that `what` failed: a peer died, a
// timeout. Throws Error(kWorkerDied).
template <typename Call>
auto guarded(const char* what, Call&& call) {
  try {
    return call();
  } catch (const std::exception& error) {
    fail(
        ExitCode::kWorkerDied,
        "{} failed, probably because another worker is gone: {}",
        what,
        first_line(error));
  }
}

} // namespace vitrain::dist
