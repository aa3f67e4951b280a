#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dist/group/group.h"
#include "dist/group/replicas.h"
#include "dist/group/traffic.h"
#include "networks/model.h"

namespace vitrain::config {
enum class BatchNormStatistics;
} // namespace vitrain::config

namespace vitrain::engine {

// Applies dist.batchnorm to a model's BatchNorm layers: how workers share their
// statistics (with kSync as torch's convert_sync_batchnorm); models need not
// know about other workers. Model and group must outlive this object, and the
// model must not run after it is destroyed.
class BatchNormExchange {
 public:
  // `elastic`: run.determinism; the exchange of gradients then makes the
  // statistics equal in every step.
  BatchNormExchange(
      networks::Model& model,
      dist::Group& group,
      config::BatchNormStatistics statistics,
      bool elastic = false);
  BatchNormExchange(const BatchNormExchange&) = delete;
  BatchNormExchange& operator=(const BatchNormExchange&) = delete;

  // Returns the number of BatchNorm layers that are trained: frozen ones
  // (BatchNorm2d::freeze) neither compute nor exchange statistics.
  std::int64_t layers() const { return layers_; }
  // Returns the running means and variances of the trained BatchNorm layers.
  std::vector<at::Tensor> statistics() const;
  // Returns the batch counters of the trained BatchNorm layers, int64 scalars.
  const std::vector<at::Tensor>& counters() const { return counters_; }
  // Returns true if the model's forward and backward are collective: a worker
  // must then run them even without samples.
  bool forward_is_collective() const;
  // Call before the first forward pass of a step: copies rank 0's running
  // statistics to all ranks if dist.batchnorm says so. Collective.
  void before_step();
  // Returns the communication for statistics since the last call, in
  // before_step(), forward and backward.
  dist::Traffic take_traffic() { return std::exchange(traffic_, {}); }
  // Returns true if sync_statistics() must be called after the last step of
  // every epoch.
  bool needs_epoch_ends() const;
  // Makes the running statistics of all workers equal: their mean, or rank 0's,
  // as dist.batchnorm says; with kSync or `elastic` they already are. Call
  // before every evaluation and checkpoint. `epoch_ends`: the last step was the
  // last one of its epoch. Collective.
  void sync_statistics(bool epoch_ends);
  // As sync_statistics(epoch_ends), for copies of the running statistics, such
  // as averages: the tensors in `buffers` whose names begin with a running
  // statistic's name. Leaves other tensors unchanged.
  void sync_statistics(const dist::NamedTensors& buffers, bool epoch_ends);

 private:
  void exchange(const dist::NamedTensors& running, bool epoch_ends);

  dist::Group& group_;
  config::BatchNormStatistics statistics_;
  std::int64_t layers_ = 0;
  bool elastic_;
  dist::NamedTensors running_; // running means and variances of the layers
  std::vector<at::Tensor> counters_;
  dist::Traffic traffic_;
};

} // namespace vitrain::engine
