#pragma once

#include <filesystem>

#include <torch/csrc/jit/api/module.h>

#include "exports/description.h"
#include "networks/model.h"

namespace vitrain::exports {

// The name of the description, as JSON, among the extra files of a module.
inline constexpr const char* kDescriptionFile = "vitrain.json";

// Each writes a new file, durably, under its name when it is complete. Throws
// Error(kUsage) where there is one already, Error(kStorage).

// Parameters and buffers under timm's names, as timm's load_state_dict takes
// them; model and pre-processing in the metadata, as checkpoints have them.
// Throws also as states::check_new_weights().
void write_safetensors_file(
    const std::filesystem::path& path,
    const networks::Model& model,
    const Description& description);

// What trace() returned, for torch.jit.load, with the description in its extra
// files.
void write_torchscript(
    const std::filesystem::path& path,
    const torch::jit::Module& module,
    const Description& description);

} // namespace vitrain::exports
