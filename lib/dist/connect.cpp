#include "dist/connect.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "core/check.h"
#include "core/cuda_plugin.h"

namespace vitrain::dist {
namespace {

std::chrono::milliseconds milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1e3));
}

c10::intrusive_ptr<c10d::Store> open_store(const Rendezvous& rendezvous) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<std::uint16_t>(rendezvous.port);
  options.isServer = rendezvous.rank == 0;
  options.numWorkers = static_cast<std::size_t>(rendezvous.size);
  // The first collective waits for everyone; no need to do it twice.
  options.waitWorkers = false;
  options.timeout = milliseconds(rendezvous.setup_timeout);
  if (options.isServer && rendezvous.listen_fd >= 0) {
    // An inherited loopback socket: no race for the port, and nothing listens
    // outside this machine (TCPStore's own socket binds all addresses).
    options.masterListenFd = rendezvous.listen_fd;
  }
  return c10::make_intrusive<c10d::TCPStore>(rendezvous.address, options);
}

std::unique_ptr<Group> gloo_group(
    const std::string& name,
    const c10::intrusive_ptr<c10d::Store>& store,
    const Rendezvous& rendezvous) {
  // The time limit of connecting, until connect() sets that of collectives.
  auto options = c10d::ProcessGroupGloo::Options::create(
      milliseconds(rendezvous.setup_timeout));
  options->devices.push_back(
      c10d::ProcessGroupGloo::createDeviceForHostname(rendezvous.address));
  auto prefixed = c10::make_intrusive<c10d::PrefixStore>(name, store);
  auto backend = c10::make_intrusive<c10d::ProcessGroupGloo>(
      prefixed, rendezvous.rank, rendezvous.size, options);
  return std::make_unique<Group>(
      prefixed, backend, rendezvous.rank, rendezvous.size);
}

std::unique_ptr<Group> nccl_group(
    const c10::intrusive_ptr<c10d::Store>& store,
    const Rendezvous& rendezvous) {
  auto prefixed = c10::make_intrusive<c10d::PrefixStore>("nccl", store);
  auto backend = c10::intrusive_ptr<c10d::Backend>::reclaim(
      rendezvous.nccl->make_nccl_backend(
          prefixed.get(),
          rendezvous.rank,
          rendezvous.size,
          rendezvous.timeout));
  return std::make_unique<Group>(
      prefixed, backend, rendezvous.rank, rendezvous.size);
}

} // namespace

void Groups::shutdown() {
  data->shutdown();
  control->shutdown();
}

Groups connect(const Rendezvous& rendezvous) {
  // A lone worker on the CPU needs nobody. On a GPU it still goes through NCCL,
  // so that the path that many GPUs take is the one that is always taken.
  if (rendezvous.size == 1 && rendezvous.nccl == nullptr) {
    return {std::make_unique<Group>(), std::make_unique<Group>()};
  }
  try {
    const auto store = open_store(rendezvous);
    Groups groups;
    groups.control = gloo_group("control", store, rendezvous);
    groups.data = rendezvous.nccl != nullptr
        ? nccl_group(store, rendezvous)
        : gloo_group("data", store, rendezvous);
    // Connections may be lazy: the first collective proves that all are there.
    groups.control->barrier();
    groups.control->set_timeout(rendezvous.timeout);
    if (rendezvous.nccl == nullptr) {
      groups.data->set_timeout(rendezvous.timeout);
    }
    return groups;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    const std::string text = error.what();
    fail(
        ExitCode::kWorkerDied,
        "rank {} of {} could not connect to its peers at {}:{} within {} s: {}",
        rendezvous.rank,
        rendezvous.size,
        rendezvous.address,
        rendezvous.port,
        rendezvous.setup_timeout,
        text.substr(0, text.find('\n')));
  }
}

} // namespace vitrain::dist
