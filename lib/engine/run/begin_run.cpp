#include "engine/run/begin_run.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "core/system/files.h"
#include "core/text.h"
#include "data/load/samplers.h"
#include "data/sources/index.h"
#include "engine/report/describe.h"
#include "engine/report/reporter.h"
#include "engine/run/run_environment.h"
#include "engine/step/parameter_groups.h"
#include "engine/step/reports.h"
#include "job/run/job.h"
#include "job/run/resume.h"
#include "job/run/run_directory.h"
#include "logging/console.h"
#include "networks/model.h"

namespace vitrain::engine {
namespace {

RunFacts facts_of(const Session& session) {
  std::int64_t parameters = 0;
  for (const at::Tensor& parameter : session.model->parameters()) {
    parameters += parameter.numel();
  }
  return {
      .job = session.job,
      .plan = session.plan,
      .spec = session.spec,
      .parameters = parameters,
      .precision = session.precision,
      .eval_precision = session.eval_precision,
      .train = session.train_index.get(),
      .samplers = session.samplers.get(),
      .eval = session.eval_index.get(),
      .workers = session.world};
}

void warn_of_no_decay(Session& session) {
  if (session.rank != 0 || !session.train_index) {
    return;
  }
  const std::string idle = idle_no_decay(
      session.job.recipe.optim, session.spec, parameter_names(*session.model));
  if (!idle.empty()) {
    session.observer.console().warn(idle);
  }
}

} // namespace

Json announce(Session& session, Reporter& reporter) {
  const RunFacts facts = facts_of(session);
  std::optional<RunLength> length;
  if (session.train_index) {
    length = RunLength{
        .epochs = session.plan.epochs(),
        .timeline = session.plan.timeline,
        .total_steps = session.plan.total_steps};
  }
  std::vector<logging::BannerSection> sections;
  // Only on rank 0, because counting an epoch's samples takes time.
  if (session.rank == 0) {
    sections = describe_run(facts);
  }
  reporter.choices(session.spec.num_classes);
  reporter.start(describe_title(facts), sections, length);
  warn_of_no_decay(session);
  Json record = start_record(facts);
  // A run that is restarted or continued before its first checkpoint starts
  // from step 0 in the same folder.
  std::error_code error;
  if (!session.job.resume.empty() || session.job.restarts > 0 ||
      std::filesystem::exists(session.job.run().environment(), error)) {
    record["resumed_step"] = session.job.resumed_step;
  }
  if (session.job.restarts > 0) {
    record["restarts"] = session.job.restarts;
  }
  return record;
}

void open_run(Session& session, Reporter& reporter, const Json& start) {
  const job::Job& job = session.job;
  session.observer.hold();
  if (session.rank == 0 && job.mode == job::JobMode::kTrain) {
    for (const std::string& line :
         job::prepare_to_resume(job.run(), job.recipe, job.resumed_step)) {
      session.observer.console().info(line);
    }
  }
  reporter.open_records(start);
  if (session.rank == 0) {
    std::error_code ignored;
    // Failure report of an earlier process.
    std::filesystem::remove(job.run().failure(), ignored);
    write_file_atomically(
        job.run().environment(), describe_environment(session).dump(2) + "\n");
  }
}

} // namespace vitrain::engine
