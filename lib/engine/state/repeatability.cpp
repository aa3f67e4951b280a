#include "engine/state/repeatability.h"

#include <ATen/Version.h>
#include <torch/version.h>

#include "core/check.h"
#include "core/enum_names.h"
#include "core/system/cuda_plugin.h"
#include "engine/device/cpu_setup.h"
#include "job/run/job.h"

namespace vitrain::engine {
namespace {

// Returns what decides the kernels, for example "torch 2.11.0, AVX512, MKL
// auto: code for Intel processors".
std::string kernels_of(const Session& session) {
  return session.cuda == nullptr ? fmt::format(
                                       "torch {}, {}, MKL {}",
                                       TORCH_VERSION,
                                       at::get_cpu_capability(),
                                       describe_mkl())
                                 : fmt::format(
                                       "torch {}, {}, compute capability {}",
                                       TORCH_VERSION,
                                       session.cuda->versions(),
                                       session.job.capability);
}

} // namespace

Json repeatability(const Session& session) {
  using enum config::Determinism;
  const config::RunConfig& run = session.job.recipe.run;
  if (run.determinism == kFast) {
    return {};
  }
  Json facts{{"kernels", kernels_of(session)}};
  if (run.determinism == kElastic) {
    facts["shards"] = run.shards;
  } else {
    facts["workers"] = session.world;
    facts["threads"] = session.job.threads;
  }
  return facts;
}

void check_repeatability(
    const Json& own,
    const Json& saved,
    const std::string& path) {
  if (!own.is_object() || !saved.is_object()) {
    return;
  }
  std::string differences;
  for (const auto& [key, value] : own.items()) {
    const Json before = saved.value(key, value);
    if (before != value) {
      differences += fmt::format(
          "\n  {}: checkpoint {}, this run {}",
          key,
          before.dump(),
          value.dump());
    }
  }
  VITRAIN_CHECK(
      differences.empty(),
      ExitCode::kUsage,
      "run.determinism: {} was computed by others, whose bits this run would "
      "not get:{}\nResume with those of the checkpoint (workers: -devices; "
      "threads: OMP_NUM_THREADS), "
      "or give up the same bits: -set run.determinism=fast",
      path,
      differences);
}

} // namespace vitrain::engine
