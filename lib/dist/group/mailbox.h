#pragma once

#include <memory>
#include <mutex>

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>

namespace c10d {
class Backend;
class Work;
} // namespace c10d

namespace vitrain::dist {

// Point-to-point messages between the workers and servers of async_ps. Each
// worker and each server has a number and its own mailbox with its own Gloo
// connections. All functions are thread-safe.
class Mailbox {
 public:
  // A message in flight. Its tensor must not be used until wait(). Destroying
  // it earlier cancels the message.
  class Message {
   public:
    Message();
    Message(Message&&) noexcept;
    Message& operator=(Message&&) noexcept;
    ~Message();

    // Returns when the message has been sent or received; at once for a
    // default-constructed Message. Throws Error(kWorkerDied) when the other end
    // is gone, this mailbox was closed, or the timeout has passed.
    void wait() { wait_for(/*however_long=*/false); }
    // Same as wait(), but without a timeout: for servers that wait for
    // requests.
    void wait_however_long() { wait_for(/*however_long=*/true); }

   private:
    friend class Mailbox;
    Message(Mailbox* box, c10::intrusive_ptr<c10d::Work> work);
    void wait_for(bool however_long);

    Mailbox* box_ = nullptr;
    c10::intrusive_ptr<c10d::Work> work_;
  };

  explicit Mailbox(c10::intrusive_ptr<c10d::Backend> backend);
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  // Start sending or receiving a contiguous CPU tensor; sender and receiver
  // must pass tensors of equal size. Messages between the same two mailboxes
  // with the same tag arrive in the order in which they were sent.
  Message send(at::Tensor tensor, int to, int tag);
  Message receive(at::Tensor tensor, int from, int tag);

  // Makes every current and later wait() throw an Error. May be called from any
  // thread.
  void close();
  // Closes the connections; messages that other mailboxes expect from this one
  // fail. Call it when no other thread uses the mailbox, except for close().
  void disconnect();

 private:
  struct Waits; // operations that threads wait for

  c10::intrusive_ptr<c10d::Backend> backend_;
  std::unique_ptr<Waits> waits_;
};

} // namespace vitrain::dist
