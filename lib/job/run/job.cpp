#include "job/run/job.h"

#include <time.h>
#include <unistd.h>

#include "config/load/writer.h"
#include "config/load_recipe.h"
#include "core/check.h"
#include "core/system/system.h"

namespace vitrain::job {

std::string Job::to_json() const {
  Json json(*this);
  json["mode"] = mode == JobMode::kEval ? "eval" : "train";
  json["recipe"] = config::to_yaml(recipe);
  return to_line(json);
}

Job Job::from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    Job job = json;
    job.mode = json.at("mode") == "eval" ? JobMode::kEval : JobMode::kTrain;
    job.recipe = config::from_yaml(
        json.at("recipe").get<std::string>(), "the job's recipe");
    return job;
  } catch (const nlohmann::json::exception& error) {
    fail(
        ExitCode::kInternal,
        "the supervisor's job cannot be read: {}",
        error.what());
  }
}

bool Job::single_process() const {
  return mode == JobMode::kTrain &&
      recipe.dist.mode == config::DistMode::kSingleProcess;
}

int Job::devices(int world) const {
  return single_process() ? static_cast<int>(ordinals.size()) : world;
}

bool Job::uses_nccl() const {
  return cuda && recipe.dist.backend != config::Backend::kGloo;
}

std::string Job::backend(int world) const {
  return single_process() ? "threads of one process"
      : uses_nccl()       ? "nccl" // a lone worker, too
      : world == 1        ? "none (one worker)"
                          : "gloo";
}

config::Plan plan_job(
    const Job& job,
    int devices,
    const data::Samplers* samplers,
    const data::Index& eval) {
  if (samplers != nullptr) {
    const data::Sampler& first = samplers->of_epoch(0);
    config::DataSize size{
        .train_samples = first.size(),
        .steps_per_epoch = first.steps_per_epoch(),
        .eval_samples = eval.size()};
    for (const data::Samplers::Stage& stage : samplers->stages()) {
      size.epochs.push_back(
          {stage.first_epoch, stage.sampler->steps_per_epoch()});
    }
    return config::make_plan(
        job.recipe, config::plan_batch(job.recipe, devices), size);
  }
  config::Plan plan;
  plan.workers = devices;
  plan.eval_samples = eval.size();
  plan.eval_batch = config::eval_batch(job.recipe.data);
  return plan;
}

double boot_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) +
      static_cast<double>(now.tv_nsec) * 1e-9;
}

double process_start_seconds() {
  const ProcessStatus status = status_of(::getpid());
  return status.state == 0 ? boot_seconds()
                           : static_cast<double>(status.start_time) /
          static_cast<double>(::sysconf(_SC_CLK_TCK));
}

} // namespace vitrain::job
