#include "engine/train/step_trace.h"

#include <algorithm>
#include <set>

#include <unistd.h>

#include <ATen/record_function.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include "core/json.h"
#include "core/system/clock.h"
#include "core/system/files.h"
#include "core/text.h"
#include "job/run/job.h"
#include "job/run/run_directory.h"
#include "logging/console.h"

namespace vitrain::engine {
namespace {

namespace profiler = torch::profiler::impl;

std::set<profiler::ActivityType> activities(bool on_cuda) {
  std::set<profiler::ActivityType> seen{profiler::ActivityType::CPU};
  if (on_cuda) {
    seen.insert(profiler::ActivityType::CUDA);
  }
  return seen;
}

// Waits for the device: Kineto loses kernels that have not ended when it stops.
// (torch's own profiler waits as well.)
void wait_for_device() {
  const c10::impl::VirtualGuardImpl device(c10::DeviceType::CUDA);
  device.synchronizeDevice(device.getDevice().index());
}

// First track number of the exchange events: larger than any Linux thread id
// (PID_MAX_LIMIT), but within the 32 bits that Perfetto reads.
constexpr std::int64_t kFirstBucketTrack = std::int64_t{1} << 22;

Json naming(const char* what, std::int64_t pid, Json name) {
  return {
      {"ph", "M"},
      {"name", what},
      {"ts", 0},
      {"pid", pid},
      {"tid", 0},
      {"args", {{"name", std::move(name)}}}};
}

std::int64_t track_of(std::size_t bucket) {
  return kFirstBucketTrack + static_cast<std::int64_t>(bucket);
}

// `wall`: offset from monotonic seconds to the trace's time.
Json travel_event(
    const dist::Travel& travel,
    std::int64_t step,
    std::size_t bucket,
    std::int64_t pid,
    double wall) {
  const dist::TimeSpan& interval = travel.interval;
  return {
      {"ph", "X"},
      {"cat", "exchange"},
      {"name", fmt::format("all-reduce of bucket {}", bucket)},
      {"pid", pid},
      {"tid", track_of(bucket)},
      {"ts", (interval.begin + wall) * 1e6},
      {"dur", (interval.end - interval.begin) * 1e6},
      {"args", {{"step", step}, {"bytes", travel.bytes}}}};
}

// Largest trace file that is read back: Kineto cannot record exchange events,
// so they are added to its file.
constexpr std::size_t kLargestTrace = std::size_t{4} << 30;

} // namespace

StepTrace::StepTrace(
    StepRange steps,
    std::filesystem::path path,
    int rank,
    bool on_cuda)
    : steps_(steps), path_(std::move(path)), rank_(rank), on_cuda_(on_cuda) {}

StepTrace::~StepTrace() {
  if (recording_) {
    step_.reset();
    torch::autograd::profiler::disableProfiler();
  }
}

StepTrace make_step_trace(const Session& session) {
  const StepRange steps = steps_of(session.job.recipe.log.trace);
  if (session.rank == 0 && steps.first > session.plan.total_steps) {
    session.observer.console().warn(fmt::format(
        "log.trace: {} begins behind the last step of the run, {}: nothing is "
        "traced",
        session.job.recipe.log.trace.value_or(""),
        with_commas(session.plan.total_steps)));
  }
  return {
      steps,
      session.job.run().trace(session.rank),
      session.rank,
      session.cuda != nullptr};
}

void StepTrace::start() {
  make_folders(path_.parent_path()); // before anything is recorded
  const profiler::ProfilerConfig config(
      profiler::ProfilerState::KINETO,
      /*report_input_shapes=*/true);
  torch::autograd::profiler::prepareProfiler(config, activities(on_cuda_));
  torch::autograd::profiler::enableProfiler(
      config,
      activities(on_cuda_),
      {at::RecordScope::FUNCTION,
       at::RecordScope::BACKWARD_FUNCTION,
       at::RecordScope::USER_SCOPE});
  recording_ = true;
}

void StepTrace::step_begins(std::int64_t step) {
  if (!steps_.contains(step)) {
    return;
  }
  if (!recording_) {
    start();
  }
  step_ = std::make_unique<at::RecordFunction>(at::RecordScope::USER_SCOPE);
  step_->before(fmt::format("step {}", step));
}

void StepTrace::step_ended(
    std::int64_t step,
    const std::vector<dist::Travel>& travels) {
  if (!recording_) {
    return;
  }
  step_.reset();
  exchanged_.push_back({step, travels});
  if (step == steps_.last) {
    finish();
  }
}

void StepTrace::finish() {
  if (recording_) {
    write();
  }
}

void StepTrace::write() {
  if (on_cuda_) {
    wait_for_device();
  }
  const auto result = torch::autograd::profiler::disableProfiler();
  recording_ = false;
  const std::filesystem::path raw = path_.native() + ".kineto";
  result->save(raw.native());
  Json trace = Json::parse(read_file(raw, kLargestTrace, ExitCode::kStorage));
  std::filesystem::remove(raw);

  // Event times are microseconds of the wall clock since baseTimeNanoseconds.
  const double base =
      static_cast<double>(trace.value("baseTimeNanoseconds", std::int64_t{0})) *
      1e-9;
  const double wall = unix_time() - monotonic_seconds() - base;
  const std::int64_t pid = ::getpid();
  trace["traceName"] = path_.native();
  Json& events = trace["traceEvents"];
  std::erase_if(events.get_ref<Json::array_t&>(), [&](const Json& event) {
    return event.value("name", "") == "process_name" && event.at("pid") == pid;
  });
  events.push_back(naming("process_name", pid, fmt::format("rank {}", rank_)));
  std::size_t buckets = 0;
  for (const Exchanged& step : exchanged_) {
    for (std::size_t i = 0; i < step.travels.size(); ++i) {
      events.push_back(travel_event(step.travels[i], step.step, i, pid, wall));
    }
    buckets = std::max(buckets, step.travels.size());
  }
  for (std::size_t i = 0; i < buckets; ++i) {
    Json name = naming("thread_name", pid, fmt::format("bucket {}", i));
    name["tid"] = track_of(i);
    events.push_back(std::move(name));
  }
  write_file_atomically(
      path_, trace.dump(-1, ' ', false, Json::error_handler_t::replace));
}

} // namespace vitrain::engine
