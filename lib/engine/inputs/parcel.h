#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "data/load/loader.h"

namespace vitrain::engine {

class Parcels;

// Host-to-device upload of a batch: its rows and small tensors. On a GPU all of
// it is in the loader's pinned slot and is sent in one copy on a separate
// stream, during the kernels of the previous step; the host does not wait. On a
// CPU nothing is copied.
class Parcel {
 public:
  // Adds a small host tensor to the upload and returns it on the device, where
  // its values are valid for kernels enqueued after send().
  at::Tensor add(const at::Tensor& tensor);
  // Sends the upload and returns the rows on the device: [bytes] uint8 in the
  // batch's layout. Call once, after all add().
  at::Tensor send();
  // Returns a function that waits until the batch's memory may be reused, after
  // send(); null if that is immediately. For Loader::keep().
  std::function<void()> sent() const;

  // Returns the bytes after a slot's rows that `tensors` tensors of `bytes`
  // bytes in total need.
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
