#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include <ATen/core/Tensor.h>

#include "checkpoint/find.h"
#include "checkpoint/manifest.h"
#include "checkpoint/retention.h"
#include "core/json.h"

namespace vitrain::states {

// State of a run between two steps.
struct Snapshot {
  std::int64_t step = 0; // number of completed optimizer steps
  std::int64_t epoch = 0; // number of completed epochs
  std::int64_t world_size = 1; // number of workers
  std::string config_hash; // config::recipe_hash()
  // Value of the metric that decides which checkpoint is the best; nullopt if
  // the weights of this step were not evaluated.
  std::optional<double> metric;
  // Name of `metric`: "top1", or "top1, ema" for averaged weights.
  std::string metric_name;
  // Preprocessing of the model's inputs (job::preprocess_record()); null:
  // unknown.
  Json preprocess;
  std::map<std::string, at::Tensor> model;
  std::map<std::string, at::Tensor> ema; // averaged weights; empty without them
  // State of the optimizer, and of gradient exchange, pruning and loss scale.
  std::map<std::string, at::Tensor> optimizer;
  // The trainer's counters and records (read by job::read_saved_state());
  // contains no times.
  Json state = Json::object();
};

// Writes the checkpoints of one run:
//   <folder>/step-000001250/{model,ema,optimizer}.safetensors, manifest.json
//     (ema only with averaged weights)
//   <folder>/latest, <folder>/best   links to a step folder
// A checkpoint appears completely or not at all, even if the process is killed.
// Folders and files with other names are left alone. Only rank 0 of a run may
// use it; checkpoint/find.h has functions for readers.
class Store {
 public:
  // `folder`: <run>/checkpoints, created by the first save(). Does not access
  // the folder yet.
  Store(std::filesystem::path folder, checkpoint::RetentionOptions retention);

  // Writes a checkpoint and verifies its files, points `latest` at it and
  // `best` at the best checkpoint (deletes `best` if none has a metric), and
  // removes old checkpoints according to the retention options. Returns the new
  // checkpoint's folder. Replaces a checkpoint of the same step. First removes
  // partial checkpoints of dead processes and repairs pointers
  // (checkpoint::repair_pointers()). Throws Error(kStorage); earlier
  // checkpoints are then intact. Calls `may_write` when the checkpoint is
  // complete, before it gets its final name, and again before pointers change
  // and old checkpoints are removed; its exceptions are passed on. If the first
  // call throws, the new checkpoint is discarded. Unless `warning` is null,
  // sets it to a sentence about old checkpoints that cannot be removed, or "".
  std::filesystem::path save(
      const Snapshot& snapshot,
      const std::function<void()>& may_write = [] {},
      std::string* warning = nullptr);

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  checkpoint::RetentionOptions retention_;
};

// Reads a checkpoint folder after verify(). Throws Error(kWeights) naming the
// file and the reason.
Snapshot load(const std::filesystem::path& checkpoint);

} // namespace vitrain::states
