#pragma once

#include "core/check.h"

// VITRAIN_CHECK with kWeights, for weights files and checkpoints that cannot be
// used.
#define VITRAIN_CHECK_WEIGHTS(condition, ...) \
  VITRAIN_CHECK(condition, ::vitrain::ExitCode::kWeights, __VA_ARGS__)
