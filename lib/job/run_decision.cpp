#include "job/run_decision.h"

#include "config/load/preprocess_values.h"

namespace vitrain::job {

RunDecision decision_of(const PreparedJob& prepared) {
  const Job& job = prepared.job;
  return {
      .run_directory = job.run_directory,
      .resume = job.resume,
      .resumed_step = job.resumed_step,
      .finished = prepared.finished,
      .preprocess = config::preprocess_values(job.recipe),
      .network = job.recipe.model.name};
}

void adopt(
    const RunDecision& decision,
    const std::string& who,
    PreparedJob& prepared) {
  Job& job = prepared.job;
  job.run_directory = decision.run_directory;
  job.resume = decision.resume;
  job.resumed_step = decision.resumed_step;
  prepared.finished = decision.finished;
  // Only the process that decides needs the weights; their record may set these
  // keys.
  if (job.mode == JobMode::kEval || job.recipe.model.pretrained) {
    job.recipe.model.name = decision.network;
    config::use_preprocess_values(
        decision.preprocess,
        who,
        config::PreprocessUse::kAdopt,
        job.recipe,
        prepared.origins);
  }
}

} // namespace vitrain::job
