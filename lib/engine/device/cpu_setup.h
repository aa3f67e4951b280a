#pragma once

#include <string>

#include "config/sections/train.h"

namespace vitrain::engine {

// Chooses the code path of MKL, a part of torch's CPU library, for matrix
// products and vector functions. Call it before the first torch call of a
// process, since MKL chooses only once. MKL uses its fastest code only on
// processors that it identifies as Intel's; Mkl::kAuto makes it use that code
// on every processor with AVX2, other values leave the choice to MKL.
// docs/performance.md lists the effect.
void set_up_mkl(config::Mkl mkl);

// Returns a description of the active setting for environment.json, because
// bits of results depend on it.
std::string describe_mkl();

} // namespace vitrain::engine
