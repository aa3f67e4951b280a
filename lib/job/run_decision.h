#pragma once

#include <cstdint>
#include <string>

#include "core/json.h"
#include "job/prepared_job.h"

namespace vitrain::job {

// Decision that one machine, or rank 0 under another launcher, makes for all:
// the run folder, the step to start from, the network and its preprocessing.
struct RunDecision {
  std::string run_directory;
  std::string resume; // checkpoint folder, or empty
  std::int64_t resumed_step = 0;
  bool finished = false; // the run has completed all its steps
  Json preprocess; // data.preprocess.*, model.image_size
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

// Returns the decision that `prepared` contains. Called on node 0.
RunDecision decision_of(const PreparedJob& prepared);

// Applies the decision to `prepared`; `preprocess` and `network` only in an
// evaluation or with model.pretrained. `who`: the process that decided, for
// messages ("rank 0").
void adopt(
    const RunDecision& decision,
    const std::string& who,
    PreparedJob& prepared);

} // namespace vitrain::job
