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

// Messages from one end to another, for those who do not all do the same: the
// workers and servers of async_ps. Ends are numbered; each thread that stands
// for one has a mailbox of its own over Gloo connections of its own. All
// functions may be called from several threads.
class Mailbox {
 public:
  // A message under way. Its tensor stays as it is until wait(). A message that
  // is destroyed before is withdrawn.
  class Message {
   public:
    Message();
    Message(Message&&) noexcept;
    Message& operator=(Message&&) noexcept;
    ~Message();

    // Returns when the message has left (send) or arrived (receive); at once
    // when there is none. Throws Error(kWorkerDied) when the other end is gone,
    // this mailbox was closed, or the group's time limit has passed.
    void wait() { wait_for(/*however_long=*/false); }
    // The same without a time limit: for those who wait to be asked.
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

  // Contiguous CPU tensors; sender and receiver give equal sizes. Messages
  // between two ends with one tag arrive in the order in which they were sent.
  Message send(at::Tensor tensor, int to, int tag);
  Message receive(at::Tensor tensor, int from, int tag);

  // Ends every wait, now and later, with an Error. From any thread.
  void close();
  // Closes the connections: what others wait for from here fails. When no other
  // thread uses the mailbox any more, except for close().
  void disconnect();

 private:
  struct Waits; // works that threads wait for

  c10::intrusive_ptr<c10d::Backend> backend_;
  std::unique_ptr<Waits> waits_;
};

} // namespace vitrain::dist
