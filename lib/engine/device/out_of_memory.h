#pragma once

#include <exception>
#include <string>

#include <ATen/record_function.h>

#include "core/error.h"
#include "engine/run/session.h"

namespace vitrain::engine {

// The message of an exception, without torch's stack of C++ frames.
std::string first_words(const std::exception& error);

// Memory that could not be had, and what it was for.
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

// For people: the rank, the part of the work, its batch, and what to lower.
// `part` is that of exceptions without one.
Error explain_out_of_memory(
    const Session& session,
    const std::exception& error,
    const char* part);

} // namespace vitrain::engine
