#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

namespace c10d {
class Backend;
class Store;
class Work;
} // namespace c10d

namespace vitrain::dist {

// A collective under way. wait() returns when the result is usable on the
// current stream (NCCL) or at all (Gloo); failures of a peer surface there as
// Error(kWorkerDied).
class Pending {
 public:
  Pending();
  explicit Pending(c10::intrusive_ptr<c10d::Work> work);
  Pending(Pending&&) noexcept;
  Pending& operator=(Pending&&) noexcept;
  ~Pending();

  void wait();
  // Calls `callback` from another thread, before wait() returns, when the
  // collective has finished (Gloo) or is in the device's queue (NCCL). Never
  // called in a group of one rank.
  void when_finished(std::function<void()> callback);

 private:
  c10::intrusive_ptr<c10d::Work> work_;
};

// The workers of a job that communicate, over one c10d backend. A group of size
// 1 is a real object whose collectives do nothing, so that no caller asks
// whether it runs alone. Every member function except rank(), size() and
// set_timeout() is collective: all ranks must call the same ones in the same
// order.
class Group {
 public:
  // The group of a job with one worker.
  Group();
  Group(
      c10::intrusive_ptr<c10d::Store> store,
      c10::intrusive_ptr<c10d::Backend> backend,
      int rank,
      int size);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  // Sum over the ranks, in place, into a contiguous tensor that every rank has
  // with equal shape and dtype.
  void all_reduce(at::Tensor tensor);
  // Starts all_reduce(); `tensor` must stay alive until wait().
  Pending all_reduce_async(at::Tensor tensor);
  // Maximum over the ranks, in place.
  Pending all_reduce_max_async(at::Tensor tensor);
  // Copies rank 0's tensor to all ranks, in place.
  void broadcast(at::Tensor tensor);
  // Returns every rank's tensor (equal shapes and dtypes), in rank order.
  std::vector<at::Tensor> all_gather(const at::Tensor& tensor);
  // Gathers into one tensor: `whole` is size() times as long as `own`, which
  // may be a view of this rank's part of it. Both contiguous.
  void all_gather_into(at::Tensor whole, at::Tensor own);
  // Starts all_gather_into(); both tensors must stay alive until wait().
  Pending all_gather_into_async(at::Tensor whole, at::Tensor own);
  // Returns when all ranks have called it.
  void barrier();
  // Limits every later collective to `seconds`.
  void set_timeout(double seconds);
  // Closes connections; afterwards collectives of a group of several ranks
  // throw Error(kInternal).
  void shutdown();

 private:
  // True for a group of one rank, where collectives do nothing.
  bool alone() const;

  c10::intrusive_ptr<c10d::Store> store_;
  c10::intrusive_ptr<c10d::Backend> backend_;
  int rank_ = 0;
  int size_ = 1;
};

} // namespace vitrain::dist
