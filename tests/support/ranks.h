#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include <c10/util/intrusive_ptr.h>

#include "dist/group/group.h"
#include "dist/group/mailbox.h"

namespace c10d {
class ProcessGroup;
class Store;
} // namespace c10d

namespace vitrain::testing {

// One rank of run_ranks(): a thread with two Gloo groups, as a worker has.
class Rank {
 public:
  // Connects to the other ranks through `store`. Collective.
  Rank(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size);
  ~Rank();

  int rank() const { return rank_; }
  int size() const { return size_; }
  dist::Group& data() { return *data_; }
  dist::Group& control() { return *control_; }

  // Returns this rank's group: ranks are divided into blocks of `size`
  // consecutive ranks; `size` divides size(). The first call for a size is
  // collective over the block.
  dist::Group& block(int size);

  // Creates mailbox number `place` of `places` mailboxes that share `name`.
  // Collective over their ranks; any thread may call.
  std::unique_ptr<dist::Mailbox>
  mailbox(const std::string& name, int place, int places);

  // Number of collectives that this rank has begun on data().
  std::int64_t collectives() const;
  // Number of elements of all tensors that this rank has passed to collectives
  // on data().
  std::int64_t elements() const;

  // Creates a c10d process group of the same ranks with its own connections,
  // for c10d::Reducer. Collective; call it at most once.
  c10::intrusive_ptr<c10d::ProcessGroup> process_group();

  // Closes the connections of the groups, so that ranks waiting for this one
  // fail at once. Afterwards only rank() and size() may be called.
  void leave();

 private:
  class CountingBackend;

  c10::intrusive_ptr<c10d::Store> store_;
  int rank_;
  int size_;
  c10::intrusive_ptr<CountingBackend> counter_;
  std::unique_ptr<dist::Group> data_;
  std::unique_ptr<dist::Group> control_;
  std::map<int, std::unique_ptr<dist::Group>> blocks_;
};

// Runs `body` on `size` ranks, each a thread of this process with one intra-op
// thread, connected by Gloo over 127.0.0.1. A rank that throws leaves its
// groups; the first exception by time is rethrown here once all ranks have
// ended. A collective that not every rank joins fails after 60 s.
void run_ranks(int size, const std::function<void(Rank&)>& body);

} // namespace vitrain::testing
