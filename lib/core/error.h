#pragma once

#include <stdexcept>
#include <string>

#include "core/enum_names.h"

namespace vitrain {

// Exit codes of the program (docs/guide/resume.md lists them for users). The
// values are a public interface: do not change them.
enum class ExitCode : int {
  kDone = 0,
  kInternal = 1, // a defect of vitrain
  kUsage = 2, // command line or config
  kData = 3, // dataset missing, unreadable or inconsistent
  kWeights = 4, // weights or checkpoint unreadable
  kNonFinite = 5, // training diverged
  kOutOfMemory = 6,
  kWorkerDied = 7, // a worker died, or a collective failed
  kStorage = 8, // the run directory cannot be written
  kStopped = 75, // stopped on request with a complete checkpoint
};
constexpr auto names_of(ExitCode) {
  using enum ExitCode;
  return enum_names<ExitCode>(
      {{kDone, "done"},
       {kInternal, "internal error"},
       {kUsage, "usage or config"},
       {kData, "data"},
       {kWeights, "weights or checkpoint"},
       {kNonFinite, "non-finite training"},
       {kOutOfMemory, "out of memory"},
       {kWorkerDied, "a worker died"},
       {kStorage, "storage"},
       {kStopped, "stopped on request"}});
}

// The exception type of vitrain; defects of vitrain have the code kInternal.
// what() is a message for the user: what was wrong, where, what was given, what
// is allowed, what to do. It has *** in place of the user information
// (USER:PASSWORD) of URLs.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message);

  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

// Returns the exit code of an exception: Error's own, kOutOfMemory for
// std::bad_alloc, kUsage for a std::system_error with EAGAIN (a limit of the
// system does not allow a thread), kInternal otherwise.
ExitCode exit_code_of(const std::exception& error);

} // namespace vitrain
