#pragma once

#include <cstdint>
#include <utility>

#include "config/sections/dist.h"
#include "dist/group/group.h"
#include "dist/group/replicas.h"
#include "dist/group/traffic.h"
#include "networks/model.h"

namespace vitrain::engine {

// What dist.batchnorm does to the BatchNorm layers of a model, as torch's
// convert_sync_batchnorm does: models know nothing of other workers. Model and
// group must outlive it, and the model must not run without it afterwards.
class BatchNormExchange {
 public:
  BatchNormExchange(
      networks::Model& model,
      dist::Group& group,
      config::BatchNormStatistics statistics);
  BatchNormExchange(const BatchNormExchange&) = delete;
  BatchNormExchange& operator=(const BatchNormExchange&) = delete;

  // BatchNorm layers in the model.
  std::int64_t layers() const { return layers_; }
  // Whether the model's forward and backward are collective: then a worker runs
  // them without samples too.
  bool forward_is_collective() const;
  // Before the first forward of a step. Collective.
  void before_step();
  // What travelled for statistics since this was asked the last time, in
  // before_step(), forward and backward.
  dist::Traffic take_traffic() { return std::exchange(traffic_, {}); }
  // Makes the running statistics of all workers equal. Before every evaluation
  // and checkpoint. Collective.
  void bring_together();
  // The same for averages of the model's buffers.
  void bring_together(const dist::NamedTensors& buffers);

 private:
  networks::Model& model_;
  dist::Group& group_;
  config::BatchNormStatistics statistics_;
  std::int64_t layers_ = 0;
  dist::Traffic traffic_;
};

} // namespace vitrain::engine
