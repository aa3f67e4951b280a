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

// State of a run after one step.
struct Snapshot {
  std::int64_t step = 0;
  std::int64_t epoch = 0;
  std::int64_t world_size = 1;
  std::string config_hash;
  // Value of the metric that decides which checkpoint is the best; nullopt if
  // the weights of this step were not evaluated.
  std::optional<double> metric;
  // Name of that metric, with "ema" for averaged weights (job::judged_by).
  std::string metric_name;
  // Preprocessing of the model's inputs (preprocess.h); null: unknown.
  Json preprocess;
  std::map<std::string, at::Tensor> model;
  std::map<std::string, at::Tensor> ema; // averaged weights; empty without them
  std::map<std::string, at::Tensor> optimizer;
  // The trainer's own part (SavedState); contains no times.
  Json state = Json::object();
};

// Writes the checkpoints of one run:
//   <folder>/step-000001250/{model,ema,optimizer}.safetensors, manifest.json
//   <folder>/latest, <folder>/best   text files: the name of a step folder
// A checkpoint appears completely or not at all, even if the process is killed.
// Folders and files with other names are left alone. Only one process of a run
// writes (rank 0); find.h is for readers.
class Store {
 public:
  // `folder`: <run>/checkpoints, created by the first save(). Does not access
  // the folder yet.
  Store(std::filesystem::path folder, checkpoint::RetentionOptions retention);

  // Writes a checkpoint, reads it back, points `latest` and, if it is the best,
  // `best` at it, and removes old checkpoints according to the retention
  // options. Returns its folder. Atomically replaces a checkpoint of the same
  // step. First removes partial checkpoints of dead processes. Throws
  // Error(kStorage); earlier checkpoints are then intact. `may_write` is called
  // when the checkpoint is complete, before it gets its final name, and again
  // before pointers change and old checkpoints are removed. If the first call
  // throws, the checkpoint is discarded.
  std::filesystem::path save(
      const Snapshot& snapshot,
      const std::function<void()>& may_write = [] {});

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  checkpoint::RetentionOptions retention_;
};

// Reads a checkpoint folder after verify(). Throws Error(kWeights) naming the
// file and the reason.
Snapshot load(const std::filesystem::path& checkpoint);

} // namespace vitrain::states
