#pragma once

#include <optional>
#include <string>

#include "config/sections/recipe.h"
#include "job/run/run_directory.h"

// Copies of checkpoints in checkpoint.mirror: <mirror>/<run>/checkpoints/ and
// <mirror>/<run>/config.yaml, so that it is a run folder without records.
namespace vitrain::job {

// Returns the folder of a run's copies; nullopt without checkpoint.mirror.
std::optional<RunDirectory> mirror_of(
    const config::Recipe& recipe,
    const RunDirectory& run);

// Copies config.yaml to another folder, which is created if necessary, unless
// the same one is there. Throws Error(kStorage).
void copy_config(const RunDirectory& from, const RunDirectory& to);

// Copies the newest intact checkpoint of the mirror to the run if the run has
// no intact one of its step or a later one. Returns a note about it, or "".
// Throws Error(kStorage).
std::string restore_newest(
    const config::Recipe& recipe,
    const RunDirectory& run);

} // namespace vitrain::job
