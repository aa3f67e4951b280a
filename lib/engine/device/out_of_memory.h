#pragma once

#include <exception>
#include <string>

#include <ATen/record_function.h>

#include "core/error.h"
#include "engine/run/session.h"

namespace vitrain::engine {

// The message of an exception, without torch's stack of C++ frames.
std::string first_words(const std::exception& error);

// An allocation failed; names the part of the work that needed the memory.
class OutOfMemory : public Error {
 public:
  OutOfMemory(std::string part, const std::string& message)
      : Error(ExitCode::kOutOfMemory, message), part_(std::move(part)) {}

  const std::string& part() const { return part_; } // "forward"

 private:
  std::string part_;
};

// Whether an exception of the standard library, torch or one of its devices
// says that there was no memory.
bool is_out_of_memory(const std::exception& error);

// In a handler: throws OutOfMemory where the exception under way is one without
// a part, else that exception again.
[[noreturn]] void rethrow_in(const char* part);

// Runs a part of a worker's work, which is named where memory runs out in it
// and in traces.
template <typename Body>
decltype(auto) in_part(const char* part, Body&& body) {
  RECORD_USER_SCOPE(part);
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
