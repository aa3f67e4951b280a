#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/device/session.h"
#include "networks/model.h"
#include "optim/flat_state.h"

namespace vitrain::engine {

// dist.mode: single_process, like PyTorch's DataParallel: each forward pass
// copies the weights of the first replica to the others (frozen ones only in
// the first pass), divides the batch into chunks (at::chunk: ceil(n / replicas)
// samples each, so that few samples use fewer replicas), computes the replicas
// on threads, and gathers the logits on the first device. Backward adds the
// gradients of the other replicas to those of the first, in order. Buffers
// (BatchNorm's running statistics) are copied with the weights; only the first
// replica's changes to them remain.
//
// Slower than one process per device: it needs threads, copies all weights and
// collects everything on one device in each pass (docs/synchronisation.md). As
// a module it has the parameters and buffers of the first replica, under their
// names.
class DataParallel final : public networks::Model {
 public:
  // A replica other than the first, on `device`.
  struct Replica {
    Replica(
        std::shared_ptr<networks::Model> network,
        c10::Device device,
        const optim::Grouping& grouping);

    std::shared_ptr<networks::Model> network;
    c10::Device device;
    optim::FlatState state; // same layout as the first replica's
    bool has_frozen = false; // frozen parameters have been copied to it
  };

  // `state`: the parameters of `first`. Both must outlive it.
  DataParallel(
      networks::Model& first,
      optim::FlatState& state,
      std::vector<std::unique_ptr<Replica>> others);

  // Returns the generator of a replica's dropout masks; undefined if nothing is
  // dropped.
  using Masks = std::function<
      at::Generator(const c10::Device& device, std::int64_t replica)>;
  // Sets the dropout masks of the other replicas for the following passes.
  void set_masks(Masks masks) { masks_ = std::move(masks); }

  // For training only; at most one backward pass per forward pass. `dropout`:
  // the first replica's generator.
  at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor& drop,
      const at::Generator& dropout = {}) override;
  std::vector<double> drop_rates() const override {
    return first_.drop_rates();
  }
  std::int64_t masked_patches() const override {
    return first_.masked_patches();
  }

 private:
  class Gather;

  networks::Model& network(std::size_t index);
  c10::Device device(std::size_t index) const;
  void broadcast(std::size_t replicas);
  // Runs the replicas' backward passes, given the gradient of the gathered
  // logits, and sums their gradients into the first replica's.
  void backward(
      const std::vector<at::Tensor>& outputs,
      const at::Tensor& gradient);

  networks::Model& first_;
  optim::FlatState& state_;
  c10::Device first_device_;
  std::vector<std::unique_ptr<Replica>> others_;
  Masks masks_;
};

// Returns the model with the replicas of the session's job; null if each worker
// trains on one device.
std::unique_ptr<DataParallel> make_data_parallel(
    const Session& session,
    optim::FlatState& state);

} // namespace vitrain::engine
