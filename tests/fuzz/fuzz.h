#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "core/error.h"

// A fuzz target is one file here that defines fuzz(), and its line in
// CMakeLists.txt. libFuzzer calls it with inputs that it makes up; replay.cpp
// with the seeds and damaged copies of them.
namespace vitrain::fuzz {

// Feeds one input. Returns for whatever input; a finding ends the process: a
// crash, a sanitizer's report, an exception, a broken promise (expect).
void fuzz(std::span<const std::uint8_t> input);

inline void expect(bool holds, const char* promise) {
  if (!holds) {
    std::fprintf(stderr, "broken promise: %s\n", promise);
    std::abort();
  }
}

// Runs what may refuse its input: an Error of that code is an answer, any other
// exception a finding. Returns whether the input was taken.
bool accepts(const auto& action, ExitCode code = ExitCode::kData) {
  try {
    action();
    return true;
  } catch (const Error& error) {
    expect(error.code() == code, error.what());
    return false;
  }
}

} // namespace vitrain::fuzz
