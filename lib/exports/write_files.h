#pragma once

#include <filesystem>

#include <torch/csrc/jit/api/module.h>

#include "exports/description.h"
#include "networks/model.h"

namespace vitrain::exports {

// Name of the description (JSON) among the extra files of a module.
inline constexpr const char* kDescriptionFile = "vitrain.json";

// Each function writes a new file, which is synced to storage and appears when
// it is complete. Throws Error(kUsage) if it exists, Error(kStorage).

// Writes parameters and buffers under timm's names, as timm's load_state_dict
// expects them, with model and preprocessing in the metadata, as checkpoints
// have them. Also throws Error(kUsage) if the name has the extension of another
// format.
void write_safetensors_file(
    const std::filesystem::path& path,
    const networks::Model& model,
    const Description& description);

// Writes the result of trace() for torch.jit.load, with the description in its
// extra files.
void write_torchscript(
    const std::filesystem::path& path,
    const torch::jit::Module& module,
    const Description& description);

} // namespace vitrain::exports
