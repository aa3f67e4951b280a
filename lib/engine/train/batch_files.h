#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/device/session.h"
#include "options/step_range.h"

namespace vitrain::engine {

struct MicroBatch;

// Writes the inputs of this worker's network in the steps of log.batches as
// safetensors files in the run folder.
class BatchFiles {
 public:
  explicit BatchFiles(const Session& session);

  // Writes micro-batch `k` of the global batch of step `step` (from 1) if
  // log.batches includes the step: `step-000001-0.safetensors` with inputs,
  // targets and, if defined, shares and drop of `batch`. Throws
  // Error(kStorage).
  void write(std::int64_t step, std::int64_t k, const MicroBatch& batch) const;

 private:
  StepRange steps_;
  std::filesystem::path folder_;
};

} // namespace vitrain::engine
