#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "data/load/sampler.h"

namespace vitrain::data {

// The samplers of a run whose batch size may change between epochs.
class Samplers {
 public:
  struct Stage {
    std::int64_t first_epoch = 0; // counts from 0
    std::unique_ptr<const Sampler> sampler;
  };

  // Requires that the first stage begins with epoch 0 and that first_epoch
  // ascends.
  explicit Samplers(std::vector<Stage> stages) : stages_(std::move(stages)) {}

  const std::vector<Stage>& stages() const { return stages_; }
  const Sampler& of_epoch(std::int64_t epoch) const {
    const Stage* found = &stages_.front();
    for (const Stage& stage : stages_) {
      found = stage.first_epoch <= epoch ? &stage : found;
    }
    return *found->sampler;
  }

 private:
  std::vector<Stage> stages_;
};

} // namespace vitrain::data
