#include "dist/group/mailbox.h"

#include <chrono>
#include <set>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include "core/check.h"
#include "core/system/activity.h"
#include "dist/group/guarded.h"

namespace vitrain::dist {
namespace {

// A year: longer than a run is expected to take, but short enough to be added
// to a clock's time without overflow.
constexpr std::chrono::hours kHoweverLong{24 * 365};

constexpr const char* kMessage = "a message between worker and server";

} // namespace

struct Mailbox::Waits {
  std::mutex mutex;
  std::set<c10d::Work*> works;
  bool closed = false;

  // Throws when the mailbox is closed, as remove() does.
  void add(c10d::Work* work) {
    const std::lock_guard lock(mutex);
    check();
    works.insert(work);
  }
  void remove(c10d::Work* work) {
    const std::lock_guard lock(mutex);
    works.erase(work);
    check();
  }
  void check() const {
    VITRAIN_CHECK(
        !closed,
        ExitCode::kWorkerDied,
        "the connection between workers and servers was closed");
  }
};

Mailbox::Message::Message() = default;
Mailbox::Message::Message(Message&&) noexcept = default;
Mailbox::Message& Mailbox::Message::operator=(Message&&) noexcept = default;
Mailbox::Message::~Message() = default;
Mailbox::Message::Message(Mailbox* box, c10::intrusive_ptr<c10d::Work> work)
    : box_(box), work_(std::move(work)) {}

void Mailbox::Message::wait_for(bool however_long) {
  if (!work_) {
    return;
  }
  const auto work = std::move(work_);
  const Doing doing(fmt::format("waits for {}", kMessage), /*waits=*/true);
  Waits& waits = *box_->waits_;
  waits.add(work.get());
  try {
    // wait() returns false if close() has aborted the operation; remove() then
    // throws.
    guarded(kMessage, [&] {
      return however_long ? work->wait(kHoweverLong) : work->wait();
    });
  } catch (const Error&) {
    waits.remove(work.get());
    throw;
  }
  waits.remove(work.get());
}

Mailbox::Mailbox(c10::intrusive_ptr<c10d::Backend> backend)
    : backend_(std::move(backend)), waits_(std::make_unique<Waits>()) {}

Mailbox::~Mailbox() = default;

Mailbox::Message Mailbox::send(at::Tensor tensor, int to, int tag) {
  std::vector<at::Tensor> tensors{std::move(tensor)};
  return {this, guarded(kMessage, [&] {
            return backend_->send(tensors, to, tag);
          })};
}

Mailbox::Message Mailbox::receive(at::Tensor tensor, int from, int tag) {
  std::vector<at::Tensor> tensors{std::move(tensor)};
  return {this, guarded(kMessage, [&] {
            return backend_->recv(tensors, from, tag);
          })};
}

void Mailbox::disconnect() {
  backend_.reset();
}

void Mailbox::close() {
  const std::lock_guard lock(waits_->mutex);
  waits_->closed = true;
  for (c10d::Work* work : waits_->works) {
    work->abort();
  }
}

} // namespace vitrain::dist
