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

// Returns true if an exception of the standard library, torch, a device or
// vitrain (kOutOfMemory) means that memory ran out.
bool is_out_of_memory(const std::exception& error);

// Returns the result of `call`, a call of c10d. Passes on exceptions for which
// is_out_of_memory(); replaces others by Error(kWorkerDied): operation `what`
// failed because of a dead peer or a timeout.
template <typename Call>
auto guarded(const std::string& what, Call&& call) {
  try {
    return call();
  } catch (const std::exception& error) {
    if (is_out_of_memory(error)) {
      throw;
    }
    fail(
        ExitCode::kWorkerDied,
        "{} failed, probably because another worker is gone: {}",
        what,
        first_line(error));
  }
}

} // namespace vitrain::dist
