#include "dist/group/connect.h"

#include <torch/csrc/distributed/c10d/HashStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "core/check.h"
#include "core/system/activity.h"
#include "core/system/cuda_plugin.h"
#include "core/text.h"
#include "dist/group/guarded.h"

namespace vitrain::dist {
namespace {

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

c10::intrusive_ptr<c10d::Store> open_store(
    const Rendezvous& rendezvous,
    bool is_server) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(rendezvous.port);
  options.isServer = is_server;
  options.numWorkers = static_cast<std::size_t>(rendezvous.size);
  // The first collective waits for all ranks; the store need not.
  options.waitWorkers = false;
  options.timeout = milliseconds(rendezvous.setup_timeout);
  if (options.isServer && rendezvous.listen_fd >= 0) {
    // With an inherited socket there is no race for the port, and a job on one
    // machine listens on the loopback interface only (TCPStore's own socket
    // binds all addresses).
    options.masterListenFd = rendezvous.listen_fd;
  }
  c10::intrusive_ptr<c10d::Store> store =
      c10::make_intrusive<c10d::TCPStore>(rendezvous.address, options);
  if (!rendezvous.prefix.empty()) {
    store = c10::make_intrusive<c10d::PrefixStore>(rendezvous.prefix, store);
  }
  return store;
}

// Every rank sets a key and waits for the keys of all ranks, so that the
// message names missing ranks; Gloo's timeout does not name them.
void wait_for_everyone(c10d::Store& store, const Rendezvous& rendezvous) {
  const auto key = [](int rank) { return fmt::format("here/{}", rank); };
  store.set(key(rendezvous.rank), std::vector<std::uint8_t>{1});
  std::vector<std::string> keys;
  for (int rank = 0; rank < rendezvous.size; ++rank) {
    keys.push_back(key(rank));
  }
  try {
    store.wait(keys, milliseconds(rendezvous.setup_timeout));
  } catch (const std::exception&) {
    std::vector<std::string> missing;
    for (int rank = 0; rank < rendezvous.size; ++rank) {
      if (!store.check({key(rank)})) {
        missing.push_back(std::to_string(rank));
      }
    }
    VITRAIN_CHECK(
        missing.empty(),
        ExitCode::kWorkerDied,
        "rank {} of {} waited {:g} s at {}:{}, but rank{} {} did not come",
        rendezvous.rank,
        rendezvous.size,
        rendezvous.setup_timeout,
        rendezvous.address,
        rendezvous.port,
        missing.size() == 1 ? "" : "s",
        join(missing, ", "));
  }
}

// The ranks of one group: all of a job, or a block of them.
struct Members {
  std::string name;
  int rank = 0; // within the group
  int size = 1;
};

// Creates groups and mailboxes for ranks that meet at one store.
struct Meeting {
  Rendezvous rendezvous;
  c10::intrusive_ptr<c10d::Store> store;

  // Gloo backend and the store in which it found its peers.
  struct Gloo {
    c10::intrusive_ptr<c10d::Store> store;
    c10::intrusive_ptr<c10d::Backend> backend;
  };

  Gloo connect_gloo(const Members& members) const {
    // Timeout of connecting; connect() then sets the timeout of collectives.
    auto options = c10d::ProcessGroupGloo::Options::create(
        milliseconds(rendezvous.setup_timeout));
    // Uses an address, not a host name: a name often resolves to 127.0.1.1,
    // which peers on other machines cannot reach.
    options->devices.push_back(
        rendezvous.interface.empty()
            ? c10d::ProcessGroupGloo::createDeviceForHostname(
                  rendezvous.own_address)
            : c10d::ProcessGroupGloo::createDeviceForInterface(
                  rendezvous.interface));
    auto own = c10::make_intrusive<c10d::PrefixStore>(members.name, store);
    auto backend = c10::make_intrusive<c10d::ProcessGroupGloo>(
        own, members.rank, members.size, options);
    return {own, backend};
  }

  std::unique_ptr<Group> gloo_group(const Members& members) const {
    const Gloo gloo = connect_gloo(members);
    return std::make_unique<Group>(
        gloo.store, gloo.backend, members.rank, members.size, members.name);
  }

  std::unique_ptr<Mailbox> mailbox(int place, int places) const {
    const Gloo gloo =
        connect_gloo({.name = "mail", .rank = place, .size = places});
    gloo.backend->setTimeout(milliseconds(rendezvous.timeout));
    return std::make_unique<Mailbox>(gloo.backend);
  }

  std::unique_ptr<Group> data_group(const Members& members) const {
    if (rendezvous.nccl == nullptr) {
      return gloo_group(members);
    }
    auto own = c10::make_intrusive<c10d::PrefixStore>(members.name, store);
    auto backend = c10::intrusive_ptr<c10d::Backend>::reclaim(
        rendezvous.nccl->make_nccl_backend(
            own.get(), members.rank, members.size, rendezvous.timeout));
    return std::make_unique<Group>(
        own, backend, members.rank, members.size, members.name);
  }

  // Returns the group of the block of `size` consecutive ranks that contains
  // this rank.
  std::unique_ptr<Group> block(int size) const {
    const int first = rendezvous.rank / size * size;
    auto group = data_group(
        {.name = fmt::format("data of {} from {}", size, first),
         .rank = rendezvous.rank - first,
         .size = size});
    if (rendezvous.nccl == nullptr) {
      group->barrier();
      group->set_timeout(rendezvous.timeout);
    }
    return group;
  }
};

} // namespace

Group& Groups::data_block(int size) {
  if (size == data->size()) {
    return *data;
  }
  std::unique_ptr<Group>& block = blocks[size];
  if (block == nullptr) {
    block = size == 1 ? std::make_unique<Group>() : connect_block(size);
  }
  return *block;
}

void Groups::shutdown() {
  for (auto& [size, block] : blocks) {
    block->shutdown();
  }
  data->shutdown();
  control->shutdown();
}

Groups connect(const Rendezvous& rendezvous) {
  // A single worker needs no connections. A single GPU still uses NCCL for
  // everything except gradients (BucketExchange), so that one GPU and many take
  // the same path.
  if (rendezvous.size == 1) {
    const Meeting here{rendezvous, c10::make_intrusive<c10d::HashStore>()};
    Groups groups;
    groups.control = std::make_unique<Group>();
    groups.data = rendezvous.nccl == nullptr ? std::make_unique<Group>()
                                             : here.data_group({"data", 0, 1});
    groups.connect_mailbox = [here](int place, int places) {
      return here.mailbox(place, places);
    };
    return groups;
  }
  const Doing doing("connects to the other workers", /*waits=*/true);
  try {
    const Meeting meeting{
        rendezvous,
        open_store(rendezvous, rendezvous.rank == 0 && rendezvous.serves)};
    wait_for_everyone(*meeting.store, rendezvous);
    Groups groups;
    groups.control =
        meeting.gloo_group({"control", rendezvous.rank, rendezvous.size});
    groups.data =
        meeting.data_group({"data", rendezvous.rank, rendezvous.size});
    groups.connect_block = [meeting](int size) { return meeting.block(size); };
    groups.connect_mailbox = [rendezvous](int place, int places) {
      // Uses its own store client, because a client that waits for a key blocks
      // all threads that use it.
      return Meeting{rendezvous, open_store(rendezvous, /*is_server=*/false)}
          .mailbox(place, places);
    };
    // Connections may be lazy: the first collective proves that all ranks are
    // connected.
    groups.control->barrier();
    groups.control->set_timeout(rendezvous.timeout);
    if (rendezvous.nccl == nullptr) {
      groups.data->set_timeout(rendezvous.timeout);
    }
    return groups;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    fail(
        ExitCode::kWorkerDied,
        "rank {} of {} could not connect to its peers at {}:{} within {} s: {}",
        rendezvous.rank,
        rendezvous.size,
        rendezvous.address,
        rendezvous.port,
        rendezvous.setup_timeout,
        first_line(error));
  }
}

} // namespace vitrain::dist
