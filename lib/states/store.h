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
#include "core/text/json.h"

namespace vitrain::states {

// A run at one step.
struct Snapshot {
  std::int64_t step = 0;
  std::int64_t epoch = 0;
  std::int64_t world_size = 1;
  std::string config_hash;
  // Value of the metric that decides which checkpoint is best; none when the
  // weights of this step were not evaluated.
  std::optional<double> metric;
  std::string metric_name; // of that metric, and of whose weights it is
  // How inputs of the model are made (preprocess.h); null: not known.
  Json preprocess;
  std::map<std::string, at::Tensor> model;
  std::map<std::string, at::Tensor> ema; // averaged weights; empty without them
  std::map<std::string, at::Tensor> optimizer;
  Json state = Json::object(); // the trainer's own record; no times in it
};

// Writes the checkpoints of one run:
//   <folder>/step-000001250/{model,ema,optimizer}.safetensors, manifest.json
//   <folder>/latest, <folder>/best   text files: the name of a step folder
// A checkpoint appears whole or not at all, whenever the process is killed.
// Folders and files that are not named like ours are left alone. One process
// of a run writes (rank 0); find.h has what readers need.
class Store {
 public:
  // `folder`: <run>/checkpoints, made by the first save. Nothing is read or
  // written yet.
  Store(std::filesystem::path folder, checkpoint::RetentionOptions retention);

  // Writes a checkpoint, reads it back, points `latest` and, if it is the best,
  // `best` at it, and removes checkpoints according to retention. Returns its
  // folder. Atomically replaces a checkpoint of the same step. First removes
  // partial checkpoints of dead processes. Throws Error(kStorage); earlier
  // checkpoints are then intact. `before_naming` is called when the checkpoint
  // is complete, before it gets its name; it is discarded if that throws.
  std::filesystem::path save(
      const Snapshot& snapshot,
      const std::function<void()>& before_naming = [] {});

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  checkpoint::RetentionOptions retention_;
};

// Reads a checkpoint folder after verify(). Throws Error(kWeights) naming the
// file and the reason.
Snapshot load(const std::filesystem::path& checkpoint);

} // namespace vitrain::states
