#pragma once

#include <exception>
#include <string>

#include <ATen/record_function.h>

#include "core/error.h"
#include "core/system/activity.h"
#include "dist/group/guarded.h"
#include "engine/device/session.h"

namespace vitrain::engine {

using dist::is_out_of_memory;

// Returns the message of an exception without torch's C++ backtrace.
std::string first_words(const std::exception& error);

// Failed allocation. Names the part of the work that needed the memory.
class OutOfMemory : public Error {
 public:
  OutOfMemory(std::string part, const std::string& message)
      : Error(ExitCode::kOutOfMemory, message), part_(std::move(part)) {}

  const std::string& part() const { return part_; } // for example "forward"

 private:
  std::string part_;
};

// Call in an exception handler. Rethrows the current exception; if it means out
// of memory and is not an OutOfMemory yet, throws OutOfMemory(part) instead.
[[noreturn]] void rethrow_in(const char* part);

// Returns the result of `body`, a part of a worker's work. `part` names it in
// traces, in an OutOfMemory error and for the supervisor (Doing).
template <typename Body>
decltype(auto) with_oom_context(const char* part, Body&& body) {
  RECORD_USER_SCOPE(part);
  const Doing doing(part);
  try {
    return body();
  } catch (const std::exception&) {
    rethrow_in(part);
  }
}

// Returns an error for the user: the rank, the part of the work, its batch, and
// the setting to reduce. `part` is used for exceptions that name no part.
Error explain_out_of_memory(
    const Session& session,
    const std::exception& error,
    const char* part);

} // namespace vitrain::engine
