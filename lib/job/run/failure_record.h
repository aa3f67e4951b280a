#pragma once

#include <optional>
#include <string>

#include "core/text/json.h"
#include "job/run/run_directory.h"

namespace vitrain::job {

// Why a run failed, as the process that supervised it saw: workers that lose a
// peer only know that a connection was closed. In failure.json of the run
// folder from the failure to the next start.
struct FailureRecord {
  std::string reason; // "rank 1 killed by signal 9 (SIGKILL) in step 12"
  int exit_code = 0;
  std::string time; // local
};
VITRAIN_JSON(FailureRecord, reason, exit_code, time)

// Writes it. A full disk is no reason to end otherwise: never throws.
void write_failure(
    const RunDirectory& run,
    const std::string& reason,
    int exit_code) noexcept;

// The failure of a run; nothing if none is recorded or it cannot be read.
std::optional<FailureRecord> read_failure(const RunDirectory& run);

} // namespace vitrain::job
