#include "engine/inputs/device_upload.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "core/aligned.h"
#include "core/check.h"

namespace vitrain::engine {

class DeviceUploads::OnGpu {
 public:
  explicit OnGpu(c10::Device device)
      : device_(device), copies_(guard_.getStreamFromGlobalPool(device)) {}

  // Switches to the other buffer, enlarges it to at least `bytes` and returns
  // it.
  const at::Tensor& next(std::int64_t bytes) {
    // All kernels that read the current buffer have been enqueued.
    current().used.record(guard_.getStream(device_));
    index_ = (index_ + 1) % buffers_.size();
    DeviceBuffer& buffer = current();
    if (!buffer.bytes.defined() || buffer.bytes.numel() < bytes) {
      buffer.bytes =
          at::empty({bytes}, at::TensorOptions(device_).dtype(at::kByte));
      // The allocator may have reused memory of kernels that have not run yet.
      buffer.used.record(guard_.getStream(device_));
    }
    return buffer.bytes;
  }

  // Copies `bytes` from pinned memory to the start of the current buffer.
  void copy(const std::uint8_t* pinned, std::int64_t bytes) {
    const at::NoGradGuard no_grad;
    DeviceBuffer& buffer = current();
    buffer.used.block(copies_);
    {
      const c10::StreamGuard scope(copies_);
      // from_blob requires a mutable pointer; nothing writes through it.
      buffer.bytes.narrow(0, 0, bytes)
          .copy_(
              at::from_blob(
                  const_cast<std::uint8_t*>(pinned), {bytes}, at::kByte),
              /*non_blocking=*/true);
    }
    buffer.copied.record(copies_);
    buffer.copied.block(guard_.getStream(device_));
  }

  std::function<void()> copied() {
    // The event is recorded again only after the returned function was called,
    // or after a later copy on the same stream.
    return [&buffer = current()] {
      if (!buffer.copied.query()) {
        buffer.copied.synchronize();
      }
    };
  }

 private:
  struct DeviceBuffer {
    at::Tensor bytes{};
    c10::Event used{c10::kCUDA}; // after the kernels that read the buffer
    c10::Event copied{c10::kCUDA};
  };

  DeviceBuffer& current() { return buffers_[index_]; }

  const c10::impl::VirtualGuardImpl guard_{c10::kCUDA};
  c10::Device device_;
  c10::Stream copies_;
  std::array<DeviceBuffer, 2> buffers_;
  std::size_t index_ = 0;
};

DeviceUploads::DeviceUploads(c10::Device device)
    : device_(device),
      gpu_(device.is_cuda() ? std::make_unique<OnGpu>(device) : nullptr) {}

DeviceUploads::~DeviceUploads() = default;

DeviceUpload DeviceUploads::open(const data::Batch& batch) {
  return {*this, batch};
}

DeviceUpload::DeviceUpload(DeviceUploads& owner, const data::Batch& batch)
    : owner_(owner), batch_(batch) {
  if (owner_.gpu_ != nullptr) {
    rows_ = batch.tail.data() - batch.rows.data();
    place_ = owner_.gpu_->next(rows_ + std::ssize(batch.tail));
  }
}

at::Tensor DeviceUpload::add(const at::Tensor& tensor) {
  if (owner_.gpu_ == nullptr) {
    return tensor;
  }
  const at::Tensor values = tensor.contiguous();
  const auto bytes = static_cast<std::int64_t>(values.nbytes());
  VITRAIN_CHECK(
      used_ + bytes <= std::ssize(batch_.tail),
      ExitCode::kInternal,
      "a batch has {} bytes for tensors beside its rows, and needs {}",
      batch_.tail.size(),
      used_ + bytes);
  if (bytes > 0) {
    std::memcpy(
        batch_.tail.data() + used_,
        values.const_data_ptr(),
        static_cast<std::size_t>(bytes));
  }
  at::Tensor there = place_.narrow(0, rows_ + used_, bytes)
                         .view(values.scalar_type())
                         .view(values.sizes());
  used_ = round_up(used_ + bytes, kAlignedBytes);
  return there;
}

at::Tensor DeviceUpload::send() {
  const auto bytes = static_cast<std::int64_t>(batch_.rows.size());
  if (owner_.gpu_ == nullptr) {
    // from_blob requires a mutable pointer; nothing writes through it.
    return at::from_blob(
        const_cast<std::uint8_t*>(batch_.rows.data()), {bytes}, at::kByte);
  }
  owner_.gpu_->copy(
      batch_.rows.data(),
      used_ == 0 ? bytes
                 : std::min(rows_ + used_, rows_ + std::ssize(batch_.tail)));
  return place_.narrow(0, 0, bytes);
}

std::function<void()> DeviceUpload::sent() const {
  return owner_.gpu_ == nullptr ? std::function<void()>()
                                : owner_.gpu_->copied();
}

std::size_t DeviceUpload::room_for(std::int64_t tensors, std::int64_t bytes) {
  return static_cast<std::size_t>(
      round_up(bytes, kAlignedBytes) + tensors * kAlignedBytes);
}

} // namespace vitrain::engine
