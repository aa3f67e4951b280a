#pragma once

#include <optional>
#include <string>

#include "core/json.h"
#include "job/run/run_directory.h"

namespace vitrain::job {

// Reason for the failure of a run, as seen by the supervisor: workers that lose
// a peer only see a closed connection. Stored in failure.json of the run folder
// until the next start.
struct FailureRecord {
  std::string reason; // "rank 1 killed by signal 9 (SIGKILL) in step 12"
  int exit_code = 0;
  std::string time; // local: "2026-01-31T12:00:00+0100"
};
VITRAIN_JSON(FailureRecord, reason, exit_code, time)

// Writes failure.json. Never throws: a full disk must not change how the run
// ends.
void write_failure(
    const RunDirectory& run,
    const std::string& reason,
    int exit_code) noexcept;

// Returns the recorded failure of a run; nullopt if there is none or it cannot
// be read.
std::optional<FailureRecord> read_failure(const RunDirectory& run);

} // namespace vitrain::job
