#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/check.h"
#include "core/text.h"
#include "launch/processes/environment.h"

namespace vitrain::launch {

// Reads variables of one launcher, with its name in the messages. The
// environment must outlive it.
class Variables {
 public:
  Variables(const Environment& environment, std::string launcher)
      : environment_(environment), launcher_(std::move(launcher)) {}

  // Returns true if the variable is set and not blank.
  bool has(const char* name) const {
    const auto found = environment_.find(name);
    return found != environment_.end() && !trim(found->second).empty();
  }
  // Returns the trimmed value. Throws Error(kUsage) unless has(name).
  std::string text(const char* name) const {
    VITRAIN_CHECK(
        has(name),
        ExitCode::kUsage,
        "{}: {} is not set; `-launcher none` starts workers whatever the "
        "environment says",
        launcher_,
        name);
    return std::string(trim(environment_.at(name)));
  }
  // Returns the value. Throws Error(kUsage) unless it is in [low, high].
  int number(const char* name, std::int64_t low, std::int64_t high) const {
    const std::string value = text(name);
    std::int64_t result = 0;
    VITRAIN_CHECK(
        parse_int(value, result) && result >= low && result <= high,
        ExitCode::kUsage,
        "{}: {}={}: expected an integer in [{}, {}]; `-launcher none` starts "
        "workers whatever the environment says",
        launcher_,
        name,
        printable(value),
        low,
        high);
    return static_cast<int>(result);
  }
  // Returns the value; `fallback` if it is not set or no integer.
  std::int64_t number_or(const char* name, std::int64_t fallback) const {
    std::int64_t result = 0;
    return has(name) && parse_int(text(name), result) ? result : fallback;
  }

 private:
  const Environment& environment_;
  std::string launcher_;
};

} // namespace vitrain::launch
