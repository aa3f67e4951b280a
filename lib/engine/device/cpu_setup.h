#pragma once

#include <string>

#include "config/sections/train.h"

namespace vitrain::engine {

// Says which code MKL, a part of torch's CPU library, takes for matrix products
// and functions of vectors: before the first torch call of a process, since MKL
// asks once. It takes its best code only on processors that it believes to be
// Intel's; with Mkl::kAuto it believes so of every one that has AVX2.
// docs/performance.md has what that gives.
void set_up_mkl(config::Mkl mkl);

// What is in force, in words, for environment.json: bits of results depend on
// it.
std::string describe_mkl();

} // namespace vitrain::engine
