#pragma once

#include <fmt/format.h>

#include "core/error.h"

static_assert(
    FMT_VERSION < 120000,
    "torch's own fmt headers came first: fix the include order");

namespace vitrain {

// Throws Error(code) with a formatted message.
template <typename... Args>
[[noreturn]] void
fail(ExitCode code, fmt::format_string<Args...> format, Args&&... args) {
  throw Error(code, fmt::format(format, std::forward<Args>(args)...));
}
// Throws Error(kData), for files and datasets that cannot be used.
template <typename... Args>
[[noreturn]] void fail_data(
    fmt::format_string<Args...> format,
    Args&&... args) {
  fail(ExitCode::kData, format, std::forward<Args>(args)...);
}

} // namespace vitrain

// Throws Error with the given code and formatted message if the condition is
// false. The message is formatted only then. For conditions that a user's input
// or machine can violate, and with kInternal for preconditions that release
// builds check too.
#define VITRAIN_CHECK(condition, code, ...) \
  do {                                      \
    if (!(condition)) [[unlikely]] {        \
      ::vitrain::fail((code), __VA_ARGS__); \
    }                                       \
  } while (false)
// VITRAIN_CHECK with kData.
#define VITRAIN_CHECK_DATA(condition, ...) \
  VITRAIN_CHECK(condition, ::vitrain::ExitCode::kData, __VA_ARGS__)
