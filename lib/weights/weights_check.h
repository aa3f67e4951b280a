#pragma once

#include "core/check.h"

// VITRAIN_CHECK with kWeights: files of weights and checkpoints that cannot be
// used as they are.
#define VITRAIN_CHECK_WEIGHTS(condition, ...) \
  VITRAIN_CHECK(condition, ::vitrain::ExitCode::kWeights, __VA_ARGS__)
