#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <c10/core/Device.h>

#include "config/sections/train_precision.h"
#include "data/load/bad_samples.h"
#include "data/load/loader.h"
#include "data/load/rows.h"
#include "dist/group/group.h"
#include "engine/inputs/normalizer.h"
#include "engine/step/average_precision.h"
#include "engine/step/metrics.h"
#include "image/image.h"
#include "networks/model.h"
#include "results/outcome.h"

namespace vitrain::config {
enum class LossKind;
enum class Tta;
struct Recipe;
} // namespace vitrain::config

namespace vitrain::engine {

struct Session;

// Per-sample results of an evaluation, over all workers.
struct SampleResults {
  // In the dataset's order; empty without classes and for multi-label data.
  std::vector<results::Outcome> outcomes;
  Scores scores; // multi-label data, in any order

  bool empty() const { return outcomes.empty() && scores.samples.empty(); }
};

// Evaluates a model on a dataset, every sample exactly once (fewer samples with
// Options::batches). All batches have the same shape (missing rows are zero
// images whose outputs are discarded), so that a sample's loss does not depend
// on the rest of its batch, bit for bit. On a CPU, one thread computes a batch,
// because the order of an operator's sums depends on its threads, and several
// batches run in parallel. Without Options::batches, counts are therefore equal
// for any number of workers and threads.
class Evaluator {
 public:
  struct Options {
    std::int64_t batch = 1; // per worker
    std::int64_t batches = 0; // maximum number of batches per worker; 0: all
    int threads = 1; // decoding threads
    int lanes = 1; // batches computed at the same time, on a CPU
    // Resolved: not kAuto.
    config::Precision precision = config::Precision::kFp32;
    data::SlotAllocator allocate{}; // allocator of batch memory
    // Called before each batch, from any thread: true ends this rank's
    // evaluation, and the counts are then meaningless. Null: never.
    std::function<bool()> leave{};
  };
  // Called after each of this rank's batches with the number of its finished
  // batches and of all its batches; one call at a time, from any thread.
  using Progress = std::function<void(std::int64_t, std::int64_t)>;

  Evaluator(
      std::shared_ptr<const data::Index> index,
      const config::Recipe& recipe,
      const models::ModelSpec& spec,
      c10::Device device,
      const Options& options);

  // Runs the evaluation and leaves the model in evaluation mode. Returns the
  // counts over all workers; `results`, if not null, receives the results per
  // sample of all workers and must then be given on every rank. While it runs,
  // threads that are new to torch get one intra-op thread. Collective on
  // `control`.
  EvalCounts run(
      networks::Model& model,
      dist::Group& control,
      const Progress& progress,
      SampleResults* results = nullptr) const;

  // Returns the number of samples of the dataset.
  std::int64_t size() const { return rows_->index().size(); }
  // Returns the classes that may be predicted (eval.subset); empty: all.
  std::span<const std::int32_t> subset() const {
    return rows_->index().subset();
  }
  // Return a sample's printable location, and its preprocessed picture (nullopt
  // for unreadable samples and vectors).
  std::string path(std::int64_t sample) const {
    return rows_->describe(sample);
  }
  std::optional<image::Image> picture(std::int64_t sample) const;

 private:
  class Batches;

  // Results of one lane, that is one of the threads that compute batches.
  struct Found {
    EvalCounts counts;
    std::vector<results::Outcome> outcomes; // empty unless requested
    Scores scores; // multi-label data
  };
  // Returns a batch's outputs: the mean over the views; minus infinity for
  // classes that may not be predicted.
  at::Tensor outputs_of(
      networks::Model& model,
      const at::Tensor& inputs,
      const at::Tensor& masks) const;
  at::Tensor mean_over_views(
      networks::Model& model,
      const at::Tensor& inputs,
      const at::Tensor& masks) const;
  // Evaluates batches until none is left, another lane fails or Options::leave
  // returns true.
  Found lane(
      networks::Model& model,
      Batches& batches,
      const Progress& progress,
      bool wants_outcomes) const;

  // Adds the results of a batch of multi-label samples to `found`.
  void add_label_lists(
      const at::Tensor& outputs,
      std::span<const std::int64_t> samples,
      Found& found) const;

  config::LossKind loss_;
  bool label_lists_; // multi-label data
  config::Tta tta_;
  models::ModelSpec spec_;
  models::ModelSpec seen_; // spec_ with the size at which images are read
  std::unique_ptr<data::Rows> rows_;
  data::BadSamplePolicy bad_samples_;
  Normalizer normalizer_;
  c10::Device device_;
  // Classes that may not be predicted, [C] bool; undefined: none.
  at::Tensor left_out_;
  Options options_;
};

// Returns a worker's evaluator of the session's evaluation data. `leave`: see
// Evaluator::Options.
Evaluator make_evaluator(
    const Session& session,
    std::function<bool()> leave = {});

} // namespace vitrain::engine
