#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "data/load/loader.h"

namespace vitrain::engine {

class DeviceUploads;

// Host-to-device upload of a batch: its rows and small tensors. On a GPU all of
// it lies in the loader's pinned slot and is sent in one copy on a separate
// stream, while kernels of the previous step run; the host does not wait. On a
// CPU nothing is copied.
class DeviceUpload {
 public:
  // Adds a small host tensor to the upload and returns it on the device, where
  // its values are valid for kernels enqueued after send(). Throws
  // Error(kInternal) if the slot's tail is too small (room_for()).
  at::Tensor add(const at::Tensor& tensor);
  // Sends the upload and returns the rows on the device: [bytes] uint8 in the
  // batch's layout; on a CPU they are the batch's own memory. Call once, after
  // all add().
  at::Tensor send();
  // Call after send(). Returns a function, for Loader::keep(), that waits until
  // the copy to the GPU has ended; null on a CPU, where nothing was copied.
  std::function<void()> sent() const;

  // Returns the size in bytes of a slot's tail (LoaderOptions::tail) for
  // `tensors` tensors of `bytes` bytes in total, including alignment.
  static std::size_t room_for(std::int64_t tensors, std::int64_t bytes);

 private:
  friend class DeviceUploads;
  DeviceUpload(DeviceUploads& owner, const data::Batch& batch);

  DeviceUploads& owner_;
  const data::Batch& batch_;
  at::Tensor place_; // the upload on the device; undefined on a CPU
  std::int64_t rows_ = 0; // bytes from the begin of the rows to the tail; GPU
  std::int64_t used_ = 0; // used bytes of the tail
};

// Creates the uploads of a loader's batches, one after the other. On a GPU they
// alternate between two device buffers: kernels that read an upload must be
// enqueued before the next one is opened, and the second next one overwrites
// its tensors.
class DeviceUploads {
 public:
  explicit DeviceUploads(c10::Device device);
  ~DeviceUploads();

  DeviceUpload open(const data::Batch& batch);

 private:
  friend class DeviceUpload;
  class OnGpu;

  c10::Device device_;
  std::unique_ptr<OnGpu> gpu_; // null on a CPU
};

} // namespace vitrain::engine
