#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "data/load/loader.h"

namespace vitrain::engine {

class Parcels;

// What a batch takes to the device: its rows, and small tensors beside them.
// On a GPU all of it lies in the loader's pinned slot and goes in one copy, on
// a stream of its own, beside the kernels of the step before: the host waits
// for nothing. On a CPU nothing is copied.
class Parcel {
 public:
  // Puts a small tensor of the host's beside the rows and returns it on the
  // device, where its numbers are for kernels that are enqueued after send().
  at::Tensor add(const at::Tensor& tensor);
  // The rows on the device: [bytes] uint8, as they lie in the batch. Once, when
  // everything has been added.
  at::Tensor send();
  // Waits until the batch's memory is free for others, after send(); null where
  // that is so at once. For Loader::keep().
  std::function<void()> sent() const;

  // Bytes behind a slot's rows that `tensors` of `bytes` in all need.
  static std::size_t room_for(std::int64_t tensors, std::int64_t bytes);

 private:
  friend class Parcels;
  Parcel(Parcels& owner, const data::Batch& batch);

  Parcels& owner_;
  const data::Batch& batch_;
  at::Tensor place_; // all of it on the device; undefined on a CPU
  std::int64_t rows_ = 0; // bytes up to the tail
  std::int64_t used_ = 0; // bytes of the tail
};

// The parcels of a loader's batches, one after the other: on a GPU, two places
// on the device. What was made from a parcel must be enqueued before the next
// one is opened, and its tensors are gone with the second next.
class Parcels {
 public:
  explicit Parcels(c10::Device device);
  ~Parcels();

  Parcel open(const data::Batch& batch);

 private:
  friend class Parcel;
  class OnGpu;

  c10::Device device_;
  std::unique_ptr<OnGpu> gpu_; // null on a CPU
};

} // namespace vitrain::engine
