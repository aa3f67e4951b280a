#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "dist/group/traffic.h"
#include "engine/run/session.h"
#include "options/step_range.h"

namespace at {
struct RecordFunction;
} // namespace at

namespace vitrain::engine {

// What a worker did in some steps, for Perfetto and chrome://tracing: the
// operators and kernels that Kineto, torch's profiler, saw, the parts that
// in_part() names, and buckets of gradients while they travelled (on the CPU;
// on a GPU those are NCCL's kernels on their stream). Records the thread that
// it lives in, and those that backward runs on.
class StepTrace {
 public:
  // Writes `path` after the last of `steps` (none before 1), or after the last
  // one that the run had.
  StepTrace(
      StepRange steps,
      std::filesystem::path path,
      int rank,
      bool on_cuda);
  // What has been recorded of a run that failed is dropped.
  ~StepTrace();

  void step_begins(std::int64_t step);
  // Throws Error(kStorage) where the file cannot be written.
  void step_ended(std::int64_t step, const std::vector<dist::Travel>& travels);
  // The run ends.
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
  std::unique_ptr<at::RecordFunction> step_; // the section under way
  std::vector<Exchanged> exchanged_;
};

// As log.trace says.
StepTrace make_step_trace(const Session& session);

} // namespace vitrain::engine
