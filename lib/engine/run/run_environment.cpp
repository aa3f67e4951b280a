#include "engine/run/run_environment.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>
#include <torch/version.h>

#include "core/system/clock.h"
#include "core/system/cuda_plugin.h"
#include "core/text.h"
#include "engine/device/cpu_setup.h"
#include "job/run/job.h"

namespace vitrain::engine {
namespace {

// Returns the value of the first "key : value" line of a /proc file; "" if it
// is missing.
std::string proc_value(const char* file, std::string_view key) {
  std::ifstream input(file);
  std::string line;
  while (std::getline(input, line)) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos &&
        trim(std::string_view(line).substr(0, colon)) == key) {
      return std::string(trim(std::string_view(line).substr(colon + 1)));
    }
  }
  return {};
}

// Returns, for example, "23.5 GiB"; "" if unknown.
std::string total_memory() {
  constexpr std::string_view kUnit = " kB";
  std::string value = proc_value("/proc/meminfo", "MemTotal");
  std::int64_t kibibytes = 0;
  if (!value.ends_with(kUnit) ||
      !parse_int(value.substr(0, value.size() - kUnit.size()), kibibytes)) {
    return value;
  }
  return human_bytes(1024.0 * static_cast<double>(kibibytes));
}

// Returns the folder to which the recipe's paths are relative.
std::string working_folder() {
  std::error_code error;
  return std::filesystem::current_path(error).native();
}

Json relevant_variables() {
  constexpr std::array kNames{
      "CUDA_VISIBLE_DEVICES",
      "OMP_NUM_THREADS",
      "MKL_NUM_THREADS",
      "MKL_ENABLE_INSTRUCTIONS",
      "OMP_WAIT_POLICY",
      "GOMP_SPINCOUNT",
      "GLIBC_TUNABLES",
      "MALLOC_MMAP_MAX_",
      "MALLOC_MMAP_THRESHOLD_",
      "MALLOC_TOP_PAD_",
      "MALLOC_TRIM_THRESHOLD_",
      "LD_PRELOAD",
      "GLOO_SOCKET_IFNAME",
      "NCCL_SOCKET_IFNAME",
      "CUBLAS_WORKSPACE_CONFIG"};
  Json variables = Json::object();
  for (const char* name : kNames) {
    if (const char* value = std::getenv(name)) {
      variables[name] = value;
    }
  }
  return variables;
}

} // namespace

Json describe_environment(const Session& session) {
  utsname system{};
  ::uname(&system);
  Json environment{
      {"vitrain", session.job.version},
      {"torch", TORCH_VERSION},
      {"compiler", fmt::format("g++ {}", __VERSION__)},
      {"system",
       fmt::format("{} {} {}", system.sysname, system.release, system.machine)},
      {"processor", proc_value("/proc/cpuinfo", "model name")},
      {"cores", ::sysconf(_SC_NPROCESSORS_ONLN)},
      {"memory", total_memory()},
      {"started", local_time("%Y-%m-%dT%H:%M:%S%z")},
      {"working_folder", working_folder()},
      {"variables", relevant_variables()},
      {"devices", session.job.device_text},
      {"mkl", describe_mkl()},
      {"command", session.job.command_line}};
  if (session.cuda != nullptr) {
    environment["cuda"] = session.cuda->versions();
  }
  return environment;
}

} // namespace vitrain::engine
