#include "core/system/cuda_plugin.h"

#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "core/check.h"
#include "core/system/files.h"

namespace vitrain {
namespace {

std::filesystem::path plugin_path() {
  return executable_path().parent_path() / "vitrain_cuda.so";
}

const CudaPlugin* open_plugin() {
  const std::string path = plugin_path().native();
  // RTLD_GLOBAL: libtorch_cuda registers its kernels with the libtorch_cpu that
  // is already loaded.
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  VITRAIN_CHECK(
      library != nullptr,
      ExitCode::kUsage,
      "CUDA devices were asked for, but {} cannot be loaded: {}. Build with "
      "the CUDA profile (tools/setup.sh on a machine with nvcc or an NVIDIA "
      "driver), or set devices.kind: cpu",
      path,
      ::dlerror());
  const auto version =
      reinterpret_cast<int (*)()>(::dlsym(library, kCudaPluginVersionSymbol));
  const auto get = reinterpret_cast<const CudaPlugin* (*)()>(
      ::dlsym(library, kCudaPluginSymbol));
  VITRAIN_CHECK(
      version != nullptr && get != nullptr && version() == kCudaPluginVersion,
      ExitCode::kUsage,
      "{} is from another build of vitrain: build both again",
      path);
  return get();
}

} // namespace

bool has_cuda_plugin() {
  std::error_code none;
  return std::filesystem::exists(plugin_path(), none);
}

const CudaPlugin& open_cuda_plugin() {
  static const CudaPlugin* plugin = open_plugin();
  return *plugin;
}

const CudaPlugin& load_cuda_plugin() {
  static const std::string problem = open_cuda_plugin().problem();
  VITRAIN_CHECK(
      problem.empty(),
      ExitCode::kUsage,
      "CUDA devices were asked for, but none can be used: {}. To train on the "
      "CPU give -devices cpu (devices.kind: cpu)",
      problem);
  return open_cuda_plugin();
}

} // namespace vitrain
