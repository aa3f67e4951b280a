#pragma once

#include <string>
#include <vector>

#include "job/run/run_directory.h"

// Partial files, and missing records, of processes that were killed.
namespace vitrain::job {

// Removes partial files of killed processes from a run folder: checkpoints and
// temporary files of records. Returns notes, one sentence each. May be called
// only by the process that holds the lock on the run.
std::vector<std::string> remove_leftovers(const RunDirectory& run);

// Returns true if the last line of a run's metrics.jsonl is a `done` record, or
// if there is no metrics.jsonl; false if the last process has not ended, or not
// orderly. Throws Error(kStorage) if the file cannot be read.
bool is_recorded_as_done(const RunDirectory& run);

} // namespace vitrain::job
