#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/run/session.h"
#include "options/step_range.h"

namespace vitrain::engine {

struct MicroBatch;

// Writes the inputs of this worker's network in some steps as safetensors
// files.
class BatchFiles {
 public:
  // Covers the steps of log.batches; the session must outlive it.
  explicit BatchFiles(const Session& session);

  // Micro-batch `k` of the global batch of step `step` (from 1), if it is one
  // of them: `step-000001-0.safetensors` with inputs, targets, and as far as
  // they are there shares and drop (engine/train/train_step.h). Throws
  // Error(kStorage).
  void write(std::int64_t step, std::int64_t k, const MicroBatch& batch) const;

 private:
  StepRange steps_;
  std::filesystem::path folder_;
};

} // namespace vitrain::engine
