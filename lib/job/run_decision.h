#pragma once

#include <cstdint>
#include <string>

#include "core/text/json.h"
#include "job/prepare/prepared_job.h"

namespace vitrain::job {

// What one machine, or one rank of another launcher, finds out for all before
// they start: the run folder and where in the run to begin.
struct RunDecision {
  std::string run_directory;
  std::string resume; // checkpoint folder, or empty
  std::int64_t resumed_step = 0;
  bool finished = false; // the run has all its steps
  Json preprocess; // config::preprocess_values()
  std::string network; // model.name
};
VITRAIN_JSON(
    RunDecision,
    run_directory,
    resume,
    resumed_step,
    finished,
    preprocess,
    network)

// What has been decided in `prepared`, by who decides.
RunDecision decision_of(const PreparedJob& prepared);

// Makes the decision of `who` ("rank 0") this one's.
void adopt(
    const RunDecision& decision,
    const std::string& who,
    PreparedJob& prepared);

} // namespace vitrain::job
