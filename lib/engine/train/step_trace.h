#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "dist/group/traffic.h"
#include "engine/device/session.h"
#include "options/step_range.h"

namespace at {
struct RecordFunction;
} // namespace at

namespace vitrain::engine {

// Trace of a worker's steps for Perfetto and chrome://tracing: operators and
// kernels recorded by Kineto (torch's profiler), the sections named by
// with_oom_context(), and the exchange of gradient buckets (on the CPU; on a
// GPU these are NCCL's kernels on their stream). Records the thread that
// created it and the threads of backward.
class StepTrace {
 public:
  // Records `steps` (numbered from 1) and writes them to `path` after the last
  // of them, or in finish().
  StepTrace(
      StepRange steps,
      std::filesystem::path path,
      int rank,
      bool on_cuda);
  // Discards a trace that has not been written, as after a failure.
  ~StepTrace();

  void step_begins(std::int64_t step);
  // `travels`: the exchange of the step's gradient buckets. Throws
  // Error(kStorage) if the file cannot be written.
  void step_ended(std::int64_t step, const std::vector<dist::Travel>& travels);
  // Call at the end of the run: writes the trace if it is still recording.
  // Throws as step_ended().
  void finish();

 private:
  struct Exchanged {
    std::int64_t step;
    std::vector<dist::Travel> travels;
  };

  void start();
  void write();

  StepRange steps_;
  std::filesystem::path path_;
  int rank_;
  bool on_cuda_;
  bool recording_ = false;
  std::unique_ptr<at::RecordFunction> step_; // section of the current step
  std::vector<Exchanged> exchanged_;
};

// Returns the trace that log.trace requests; without log.trace it records
// nothing. Rank 0 warns if the run ends before the first of its steps.
StepTrace make_step_trace(const Session& session);

} // namespace vitrain::engine
