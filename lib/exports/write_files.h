#pragma once

#include <filesystem>

#include <torch/csrc/jit/api/module.h>

#include "exports/description.h"
#include "networks/model.h"

namespace vitrain::exports {

// The name of the description, as JSON, among the extra files of a module.
inline constexpr const char* kDescriptionFile = "vitrain.json";

// Each function writes a new file durably; it appears when complete. Throws
// Error(kUsage) if it exists, Error(kStorage).

// Parameters and buffers under timm's names, as timm's load_state_dict takes
// them; model and pre-processing in the metadata, as checkpoints have them.
// Throws also as states::check_new_weights().
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
