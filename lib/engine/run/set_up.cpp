#include "engine/run/set_up.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include "core/system/cuda_plugin.h"
#include "engine/device/autocast.h"
#include "engine/device/cpu_setup.h"
#include "launch/processes/rendezvous.h"

namespace vitrain::engine {
namespace {

// Returns the network interface that the user chose for Gloo; "": none, or all
// workers are on one machine and use loopback, which own_address already
// selects.
std::string gloo_interface(const launch::WorkerContext& context) {
  const char* name = std::getenv("GLOO_SOCKET_IFNAME");
  return name == nullptr || launch::is_loopback(context.own_address)
      ? ""
      : std::string(name);
}

} // namespace

const CudaPlugin* set_up_device(const job::Job& job, int local_rank) {
  set_up_mkl(job.recipe.train.mkl);
  const CudaPlugin* cuda = nullptr;
  if (job.cuda) {
    // Before the first torch call: torch caches its CUDA hooks.
    cuda = &load_cuda_plugin();
    cuda->set_device(job.ordinals.at(static_cast<std::size_t>(local_rank)));
    allow_tf32(
        c10::kCUDA, job.recipe.train.precision == config::Precision::kTf32);
    const bool fast = job.recipe.run.determinism == config::Determinism::kFast;
    at::Context& context = at::globalContext();
    context.setBenchmarkCuDNN(fast);
    // Times all plans: by default torch times the first 10 of some 40.
    context.setBenchmarkLimitCuDNN(0);
    context.setDeterministicCuDNN(!fast);
    context.setDeterministicAlgorithms(!fast, /*warn_only=*/true);
  }
  at::set_num_interop_threads(1);
  return cuda;
}

dist::Groups connect_workers(
    const job::Job& job,
    const launch::WorkerContext& context,
    const CudaPlugin* cuda) {
  const config::TimeoutsConfig& timeouts = job.recipe.dist.timeouts;
  // A supervisor ends the run at the same limits and can name the worker that
  // hangs: the waiting workers give it 60 s to do so first.
  const double later = context.launched() ? 0.0 : 60.0;
  return dist::connect(
      {.rank = context.rank,
       .size = context.world_size,
       .address = context.master_address,
       .port = context.master_port,
       .listen_fd = context.listen.get(),
       // Without our own socket, the launcher's store is already running.
       .serves = !context.launched() || context.listen,
       .prefix = context.store_prefix,
       .own_address = context.own_address,
       .interface = gloo_interface(context),
       .setup_timeout = timeouts.setup + later,
       .timeout = std::max(
                      {timeouts.step,
                       timeouts.eval,
                       timeouts.checkpoint,
                       timeouts.stopped}) +
           later,
       .nccl = job.uses_nccl() ? cuda : nullptr});
}

} // namespace vitrain::engine
