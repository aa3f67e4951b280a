#include <filesystem>

#include <cstdio>

#include <fmt/format.h>
#include <torch/version.h>

#include "core/system/cuda_plugin.h"
#include "core/system/files.h"
#include "program/torch_verbs.h"

namespace vitrain::program {

int version() {
  const bool has_plugin = std::filesystem::exists(
      executable_path().parent_path() / "vitrain_cuda.so");
  const std::string text = fmt::format(
      "vitrain {}\ntorch {}\n{}\n{} build, g++ {}\n",
      VITRAIN_VERSION,
      TORCH_VERSION,
      has_plugin ? open_cuda_plugin().versions()
                 : std::string("CUDA none, NCCL none (CPU build)"),
      VITRAIN_BUILD_TYPE,
      __VERSION__);
  std::fputs(text.c_str(), stdout);
  return 0;
}

} // namespace vitrain::program
