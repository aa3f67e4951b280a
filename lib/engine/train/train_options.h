#pragma once

#include "data/load/bad_samples.h"
#include "engine/run/session.h"
#include "engine/train/train_step.h"
#include "optim/flat_state.h"
#include "optim/schedule.h"

// What a recipe and its plan say to the parts of a training, in their terms.
namespace vitrain::engine {

optim::Schedule schedule_of(
    const config::ScheduleConfig& schedule,
    const config::Plan& plan);

// `collective_forward`: as in TrainStepOptions.
TrainStepOptions step_options(
    const config::Recipe& recipe,
    bool bf16,
    bool collective_forward,
    bool asked_late);

// The part of the optimizer's work that this worker does.
optim::Share share_of(const Session& session);

data::BadSampleLimits bad_sample_limits(const config::BadSamplesConfig& limits);

} // namespace vitrain::engine
