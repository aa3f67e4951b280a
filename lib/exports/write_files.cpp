#include "exports/write_files.h"

#include <string>
#include <vector>

#include <torch/csrc/jit/serialization/export.h>

#include "checkpoint/read_preprocess.h"
#include "core/system/files.h"
#include "core/system/new_file.h"
#include "states/weights_files.h"
#include "weights/names/coat_repeats.h"

namespace vitrain::exports {
namespace {

std::vector<std::string> names_of(const states::TensorFile& file) {
  std::vector<std::string> names;
  for (const auto& tensor : file.tensors) {
    names.push_back(tensor.first);
  }
  return names;
}

} // namespace

void write_safetensors_file(
    const std::filesystem::path& path,
    const networks::Model& model,
    const Description& description) {
  states::TensorFile file;
  for (const auto& item : model.named_parameters()) {
    file.tensors[item.key()] = item.value().detach().contiguous();
  }
  for (const auto& item : model.named_buffers()) {
    file.tensors[item.key()] = item.value().contiguous();
  }
  for (const auto& [name, first] : weights::coat_repeats(names_of(file))) {
    file.tensors[name] = file.tensors.at(first);
  }
  file.metadata["format"] = "pt"; // transformers requires it
  file.metadata["model"] = description.spec.name;
  if (!description.record.is_null()) {
    file.metadata[checkpoint::kPreprocessKey] = description.record.dump();
  }
  states::write_new_weights(path, file);
}

void write_torchscript(
    const std::filesystem::path& path,
    const torch::jit::Module& module,
    const Description& description) {
  const torch::jit::ExtraFilesMap extra{
      {kDescriptionFile, description.to_json().dump()}};
  write_new_file(path, [&](int fd) {
    int error = 0;
    const auto write = [&](const void* bytes, std::size_t size) {
      error = error != 0 ? error : write_all(fd, bytes, size);
      return error == 0 ? size : 0;
    };
    try {
      torch::jit::ExportModule(module, write, extra);
    } catch (const std::exception&) {
      if (error == 0) {
        throw; // not an error of the file
      }
    }
    return error;
  });
}

} // namespace vitrain::exports
