#include "weights/format_name.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/ascii.h"
#include "core/check.h"
#include "core/text.h"

namespace vitrain::weights {
namespace {

struct Names {
  const char* format; // name of the format in messages
  // Extensions of the format; messages suggest the first one.
  std::vector<std::string_view> own;
};

Names names_of_files(FileFormat format) {
  switch (format) {
    case FileFormat::kSafetensors:
      return {"safetensors", {".safetensors"}};
    case FileFormat::kTorchScript:
      return {"TorchScript", {".pt", ".pth", ".jit", ".ts", ".torchscript"}};
    case FileFormat::kOnnx:
      return {"ONNX", {".onnx"}};
  }
  return {};
}

// Extensions of weights files, in lower case.
constexpr std::string_view kExtensions[] = {
    ".bin",   ".ckpt",        ".gguf",   ".h5",          ".hdf5", ".jit",
    ".keras", ".msgpack",     ".npy",    ".npz",         ".onnx", ".pb",
    ".pdopt", ".pdparams",    ".pickle", ".pkl",         ".pt",   ".pt2",
    ".pth",   ".safetensors", ".tar",    ".torchscript", ".ts",   ".zip"};

} // namespace

void check_name(const std::filesystem::path& path, FileFormat format) {
  const std::string extension = ascii_lower(path.extension().native());
  const auto has = [&](const auto& list) {
    return std::ranges::find(list, extension) != std::ranges::end(list);
  };
  const Names names = names_of_files(format);
  VITRAIN_CHECK(
      has(names.own) || !has(kExtensions),
      ExitCode::kUsage,
      "{}: {} is what is written, and {} is a name of another format: call it "
      "{}",
      printable(path.native()),
      names.format,
      printable(path.extension().native()),
      printable(std::filesystem::path(path)
                    .replace_extension(names.own.front())
                    .filename()
                    .native()));
}

} // namespace vitrain::weights
