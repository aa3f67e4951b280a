#pragma once

#include <string>

#include <gtest/gtest.h>

#include "core/error.h"

namespace vitrain {

// Returns the message of the Error that `action` throws and checks its code; ""
// if it throws nothing. Passes other exceptions on.
template <typename Action>
[[nodiscard]] std::string error_of(ExitCode code, Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "";
}

} // namespace vitrain
