#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/rules/plan.h"
#include "config/sections/recipe.h"
#include "models/families/spec.h"

namespace vitrain::engine {

// Peak memory of a CPU worker in bytes, by purpose.
struct MemoryEstimate {
  // Also buffers, bf16 copies, averages, replicas, teacher.
  std::int64_t weights = 0;
  std::int64_t gradients = 0;
  std::int64_t optimizer = 0;
  std::int64_t exchange = 0; // copies kept by dist.sync and dist.compress
  std::int64_t activations = 0;
  // Copy of the state that is being saved; rank 0 only.
  std::int64_t snapshot = 0;
  std::int64_t loader = 0; // batches decoded in advance
  std::int64_t process = 0; // code, libraries, tables

  std::int64_t total() const;
  // Returns, for example, "about 1.6 GiB for each worker: weights 90 MiB, ...,
  // process 180 MiB".
  std::string text() const;
};

// Estimates the memory of a worker of `plan`, within 30 % of the largest
// resident size of a run (tests/e2e/memory_test.cpp; docs/performance.md).
// `bf16`: matrix products of training (with `evaluates`, of evaluation) in
// bf16. `evaluates`: evaluation only, no training. Frozen parameters
// (model.freeze) have neither gradients nor optimizer state, and layers before
// the first trained parameter keep no activations. Throws Error(kUsage) as
// frozen_parameters() does.
MemoryEstimate estimate_memory(
    const config::Recipe& recipe,
    const config::Plan& plan,
    const models::ModelSpec& spec,
    bool bf16,
    bool evaluates);

// Returns a warning if the `workers` workers of a machine need more than its
// `available` bytes of memory; otherwise, or if `available` is nullopt
// (unknown), "".
std::string memory_warning(
    const MemoryEstimate& estimate,
    int workers,
    std::optional<std::int64_t> available);

} // namespace vitrain::engine
