#include "launch/foreign/exec_worker.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "core/check.h"
#include "core/text.h"
#include "launch/foreign/port_exchange.h"
#include "launch/processes/descriptors.h"
#include "launch/processes/rendezvous.h"
#include "launch/processes/signals.h"
#include "launch/processes/spawn.h"
#include "launch/processes/worker_process.h"

namespace vitrain::launch {
namespace {

// Address of rank 0's store, as this worker reaches it.
struct StoreAddress {
  Fd listen; // rank 0: listening socket, unless the launcher has a store
  std::string master_address;
  int master_port = 0;
  std::string own_address;
};

StoreAddress find_store(const LaunchedPlace& place, double timeout) {
  StoreAddress store;
  if (place.master_port == 0) {
    VITRAIN_CHECK(
        place.one_node(),
        ExitCode::kUsage,
        "{} started workers on several machines and does not say where they "
        "meet: set MASTER_ADDR and MASTER_PORT to a host (that of rank 0) and "
        "a free port for all of them, or give -master HOST:PORT",
        place.launcher);
    ListeningSocket here;
    if (place.world_size > 1) {
      if (place.rank == 0) {
        here = listen_on_loopback();
      }
      const std::string launch = place.launch_id.empty()
          ? to_text({find_launcher_process(place.rank_variable).process})
          : place.launch_id;
      here.port = exchange_port(
          {.socket = exchange_socket_name(launch, place.attempt),
           .rank = place.rank,
           .size = place.world_size,
           .timeout = timeout},
          here.port);
    }
    store.listen = std::move(here.socket);
    store.master_port = here.port;
    store.master_address = store.own_address = "127.0.0.1";
    return store;
  }
  store.own_address =
      local_address_towards(place.master_address, place.one_node());
  store.master_address = place.master_address;
  store.master_port = place.master_port;
  if (place.rank == 0 && place.world_size > 1 && !place.store_is_running) {
    store.listen =
        listen_for_nodes(place.master_address, place.master_port).socket;
  }
  return store;
}

} // namespace

Environment without_launcher_defaults(
    Environment environment,
    const Environment& of_launcher) {
  const auto threads = environment.find("OMP_NUM_THREADS");
  if (threads != environment.end() && trim(threads->second) == "1" &&
      !of_launcher.empty() && !of_launcher.contains("OMP_NUM_THREADS")) {
    environment.erase(threads);
  }
  return environment;
}

void exec_worker(const ExecWorkerOptions& options) {
  const LaunchedPlace& place = options.place;
  const StoreAddress store = find_store(place, options.setup_timeout);
  Environment environment = worker_environment(
      options.environment,
      {.rank = place.rank,
       .local_rank = place.local_rank,
       .world_size = place.world_size,
       .local_world_size = place.local_world_size,
       .master_address = store.master_address,
       .master_port = store.master_port,
       .own_address = store.own_address,
       .cores = options.cores});
  environment[variable::kLauncher] = place.launcher;
  environment[variable::kLaunchParents] = to_text(options.parents);
  // torchrun's store outlives the workers and keeps keys of earlier attempts.
  environment[variable::kStorePrefix] =
      fmt::format("vitrain/attempt_{}", place.attempt);
  const auto pass = [&](const char* name, int fd) {
    set_close_on_exec(fd, false);
    environment[name] = std::to_string(fd);
  };
  const Fd job = make_memfd("vitrain-job", options.job);
  const Fd terminal = duplicate_or_null(STDOUT_FILENO);
  pass(variable::kJobFd, job.get());
  if (place.rank == 0) {
    pass(variable::kTerminalFd, terminal.get());
  }
  if (store.listen) {
    pass(variable::kListenFd, store.listen.get());
  }

  std::vector<std::string> arguments = options.arguments;
  std::vector<std::string> entries = exec_environment(environment);
  // As in spawn(): a stop signal that arrives before the worker is ready stays
  // pending.
  const sigset_t mask = stop_signals();
  ::sigprocmask(SIG_BLOCK, &mask, nullptr);
  ::execve(
      options.executable.c_str(),
      exec_pointers(arguments).data(),
      exec_pointers(entries).data());
  fail(
      ExitCode::kInternal,
      "cannot start the worker program {}: {}",
      printable(options.executable.native()),
      error_text(errno));
}

} // namespace vitrain::launch
