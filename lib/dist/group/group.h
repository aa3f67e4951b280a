#pragma once

#include <cstdint>
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

// A running collective. wait() returns when the current stream (NCCL) or the
// host (Gloo) can use the result; it throws Error(kWorkerDied) if a peer has
// failed or the timeout has passed.
class Pending {
 public:
  Pending();
  // `name`: the collective, for messages.
  Pending(std::string name, c10::intrusive_ptr<c10d::Work> work);
  Pending(Pending&&) noexcept;
  Pending& operator=(Pending&&) noexcept;
  ~Pending();

  void wait();
  // Calls `callback` from another thread, before wait() returns, when the
  // collective has finished (Gloo) or is in the device's queue (NCCL). Never
  // called in a group without a backend (Group()).
  void when_finished(std::function<void()> callback);

 private:
  std::string name_;
  c10::intrusive_ptr<c10d::Work> work_;
};

// Workers that communicate over one c10d backend. Without a backend (Group())
// collectives send nothing, so callers need no special case for a single
// worker; a single GPU has an NCCL backend. Every member function except
// rank(), size() and set_timeout() is collective: all ranks must call the same
// ones in the same order.
class Group {
 public:
  // Constructs the group of a single worker, without a backend.
  Group();
  // `name`: for messages.
  Group(
      c10::intrusive_ptr<c10d::Store> store,
      c10::intrusive_ptr<c10d::Backend> backend,
      int rank,
      int size,
      std::string name = "data");
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  // Replaces `tensor` by its sum over the ranks, in place. Contiguous, with
  // equal shape and dtype on every rank.
  void all_reduce(at::Tensor tensor);
  // Starts all_reduce(); `tensor` must stay alive until wait().
  Pending all_reduce_async(at::Tensor tensor);
  // Starts replacing `tensor` by its maximum over the ranks, in place; `tensor`
  // must stay alive until wait().
  Pending all_reduce_max_async(at::Tensor tensor);
  // Copies rank 0's tensor to all ranks, in place.
  void broadcast(at::Tensor tensor);
  // Returns every rank's tensor (equal shapes and dtypes), in rank order.
  std::vector<at::Tensor> all_gather(const at::Tensor& tensor);
  // Gathers the ranks' `own` tensors into `whole`, which is size() times as
  // long, in rank order. `own` may be a view of this rank's part of `whole`.
  // Both contiguous.
  void all_gather_into(at::Tensor whole, at::Tensor own);
  // Starts all_gather_into(); both tensors must stay alive until wait().
  Pending all_gather_into_async(at::Tensor whole, at::Tensor own);
  // Sends part r of `own` to rank r, and receives part r of `received` from it:
  // size() parts of equal length. Both contiguous, of equal size and dtype.
  void all_to_all(at::Tensor received, at::Tensor own);
  // Returns when all ranks have called it.
  void barrier();
  // Sets the timeout of every later collective, in seconds.
  void set_timeout(double seconds);
  // Closes connections; afterwards collectives of a group of several ranks
  // throw Error(kInternal).
  void shutdown();

 private:
  // Returns true for a group of one rank without a backend. Throws
  // Error(kInternal) for a larger group after shutdown().
  bool alone() const;
  // Begins a collective of this kind; does nothing if alone().
  template <typename Start>
  Pending begin(const char* kind, const Start& start);

  c10::intrusive_ptr<c10d::Store> store_;
  c10::intrusive_ptr<c10d::Backend> backend_;
  int rank_ = 0;
  int size_ = 1;
  std::string name_;
  std::int64_t begun_ = 0; // collectives
};

} // namespace vitrain::dist
