#pragma once

#include <functional>
#include <memory>

#include <c10/core/Device.h>

#include "config/recipe.h"
#include "data/bad_samples.h"
#include "data/loader.h"
#include "data/rows.h"
#include "data/sampler.h"
#include "dist/group.h"
#include "engine/metrics.h"
#include "engine/normalizer.h"
#include "models/model.h"

namespace vitrain::engine {

// Evaluates a model on a dataset, every sample exactly once, in the dataset's
// order. All batches have the same shape (missing rows are zero images whose
// outputs are discarded), so a sample's loss has the same bits whatever stands
// beside it, and the reduced counts are equal for any number of workers.
class Evaluator {
 public:
  struct Options {
    std::int64_t batch = 1; // per worker
    int threads = 1; // decoding threads
    bool bf16 = false;
    data::SlotAllocator allocate{}; // of the memory for batches
    // Asked before each batch: true leaves the evaluation, whose counts are
    // then of no use. Null: never.
    std::function<bool()> leave{};
  };
  // Called after each of this rank's batches with those done and their number.
  using Progress = std::function<void(std::int64_t, std::int64_t)>;

  Evaluator(
      std::shared_ptr<const data::Index> index,
      const config::Recipe& recipe,
      const models::ModelSpec& spec,
      c10::Device device,
      const Options& options);

  // Leaves the model in evaluation mode. Returns the counts over all workers.
  // Collective on `control`.
  EvalCounts run(
      models::Model& model,
      dist::Group& control,
      const Progress& progress) const;

  std::int64_t size() const { return rows_->index().size(); }

 private:
  config::LossKind loss_;
  std::unique_ptr<data::Rows> rows_;
  data::BadSamplePolicy bad_samples_;
  Normalizer normalizer_;
  Options options_;
};

} // namespace vitrain::engine
