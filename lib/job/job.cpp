#include "job/job.h"

#include <time.h>
#include <unistd.h>

#include <fstream>

#include "config/load/load.h"
#include "config/schema/writer.h"
#include "core/check.h"
#include "core/json.h"
#include "core/text.h"

namespace vitrain::job {

std::string Job::to_json() const {
  const Json json{
      {"mode", mode == JobMode::kEval ? "eval" : "train"},
      {"recipe", config::to_yaml(recipe)},
      {"config_path", config_path},
      {"command_line", command_line},
      {"run_directory", run_directory},
      {"resume", resume},
      {"resumed_step", resumed_step},
      {"cuda", cuda},
      {"ordinals", ordinals},
      {"device_text", device_text},
      {"train_index_fd", train_index_fd},
      {"eval_index_fd", eval_index_fd},
      {"threads", threads},
      {"cores_per_worker", cores_per_worker},
      {"process_start", process_start},
      {"version", version},
      {"restarts", restarts},
      {"joining",
       {{"resume", joining.resume},
        {"device", joining.device},
        {"device_id", joining.device_id}}}};
  return to_line(json);
}

Job Job::from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    Job job;
    job.mode = json.at("mode") == "eval" ? JobMode::kEval : JobMode::kTrain;
    job.recipe = config::from_yaml(
        json.at("recipe").get<std::string>(), "the job's recipe");
    job.config_path = json.at("config_path");
    job.command_line = json.at("command_line");
    job.run_directory = json.at("run_directory");
    job.resume = json.at("resume");
    job.resumed_step = json.at("resumed_step");
    job.cuda = json.at("cuda");
    job.ordinals = json.at("ordinals").get<std::vector<int>>();
    job.device_text = json.at("device_text");
    job.train_index_fd = json.at("train_index_fd");
    job.eval_index_fd = json.at("eval_index_fd");
    job.threads = json.at("threads");
    job.cores_per_worker = json.at("cores_per_worker");
    job.process_start = json.at("process_start");
    job.version = json.at("version");
    job.restarts = json.at("restarts");
    const Json& joining = json.at("joining");
    job.joining.resume = joining.at("resume");
    job.joining.device = joining.at("device");
    job.joining.device_id = joining.at("device_id");
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

config::Plan make_plan(
    const Job& job,
    int devices,
    const data::Sampler* sampler,
    const data::Index& eval) {
  if (sampler != nullptr) {
    return config::make_plan(
        job.recipe,
        config::plan_batch(job.recipe, devices),
        {.train_samples = sampler->size(),
         .steps_per_epoch = sampler->steps_per_epoch(),
         .eval_samples = eval.size()});
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
  // Field 22 of /proc/self/stat, in clock ticks since boot; the second field is
  // a name in parentheses that may hold blanks.
  std::ifstream file("/proc/self/stat");
  std::string stat;
  std::getline(file, stat);
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) {
    return boot_seconds();
  }
  const auto fields = split(stat.substr(name_end + 2), ' ');
  constexpr std::size_t kStartTime = 22 - 3;
  std::int64_t ticks = 0;
  if (fields.size() <= kStartTime || !parse_int(fields[kStartTime], ticks)) {
    return boot_seconds();
  }
  return static_cast<double>(ticks) /
      static_cast<double>(::sysconf(_SC_CLK_TCK));
}

} // namespace vitrain::job
