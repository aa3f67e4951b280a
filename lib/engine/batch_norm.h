#pragma once

#include <cstdint>

#include "config/dist.h"
#include "dist/group.h"
#include "models/model.h"

namespace vitrain::engine {

// What dist.batchnorm does to the BatchNorm layers of a model, as torch's
// convert_sync_batchnorm does: models know nothing of other workers. Model and
// group must outlive it, and the model must not run without it afterwards.
class BatchNormExchange {
 public:
  BatchNormExchange(
      models::Model& model,
      dist::Group& group,
      config::BatchNormStatistics statistics);

  // BatchNorm layers in the model.
  std::int64_t layers() const { return layers_; }
  // Whether the model's forward and backward are collective: then a worker runs
  // them without samples too.
  bool forward_is_collective() const;
  // Before the first forward of a step. Collective.
  void before_step();
  // Makes the running statistics of all workers equal. Before every evaluation
  // and checkpoint. Collective.
  void bring_together();

 private:
  models::Model& model_;
  dist::Group& group_;
  config::BatchNormStatistics statistics_;
  std::int64_t layers_ = 0;
};

} // namespace vitrain::engine
