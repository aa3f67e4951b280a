#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "engine/run/session.h"
#include "networks/model.h"
#include "optim/weights/flat_state.h"

namespace vitrain::engine {

// dist.mode: single_process, as PyTorch's DataParallel does it: in each pass
// the weights of the first replica are copied to the others (frozen ones in the
// first of them), the batch is cut
// into chunks (at::chunk: ceil(n / replicas) samples each, so that few samples
// use fewer replicas), the replicas compute on threads, and logits come
// together on the first device. In backward the gradients of the others are
// added to those of the first, in their order. Buffers (BatchNorm's running
// statistics) are kept of the first replica only.
//
// Threads, a copy of all weights and one device that collects everything in
// each pass: the slow way (docs/synchronisation.md). As a module it has the
// parameters and buffers of the first replica, under their names.
class DataParallel final : public networks::Model {
 public:
  // An additional replica on `device`.
  struct Replica {
    Replica(
        std::shared_ptr<networks::Model> network,
        c10::Device device,
        const optim::Grouping& grouping);

    std::shared_ptr<networks::Model> network;
    c10::Device device;
    optim::FlatState state; // same layout as the first replica's
    bool has_frozen = false; // frozen parameters have been copied
  };

  // `first` and `state`, its parameters, must outlive it.
  DataParallel(
      networks::Model& first,
      optim::FlatState& state,
      std::vector<std::unique_ptr<Replica>> others);

  // The generator of a replica's dropout masks, undefined when nothing is
  // dropped.
  using Masks = std::function<
      at::Generator(const c10::Device& device, std::int64_t replica)>;
  // For the following passes.
  void set_masks(Masks masks) { masks_ = std::move(masks); }

  // In training only; at most one backward per forward. `dropout` is the first
  // replica's generator.
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
  // Runs backward of the replicas' logits from the gradients of the gathered
  // logits.
  void backward(
      const std::vector<at::Tensor>& outputs,
      const at::Tensor& gradient);

  networks::Model& first_;
  optim::FlatState& state_;
  c10::Device first_device_;
  std::vector<std::unique_ptr<Replica>> others_;
  Masks masks_;
};

// The replicas that the session's job asks for; null where one device trains
// alone.
std::unique_ptr<DataParallel> make_data_parallel(
    const Session& session,
    optim::FlatState& state);

} // namespace vitrain::engine
