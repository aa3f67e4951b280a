#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

// Folders of weights that other programs wrote, as save_pretrained() does.
namespace vitrain::job {

// Extensions of weights files, in the order in which messages list them.
inline constexpr auto kWeightsExtensions = std::to_array<const char*>(
    {".safetensors", ".pth", ".pt", ".bin", ".npz", ".pdparams"});

// Returns kWeightsExtensions, separated by spaces.
std::string weights_extensions();

// Returns the only weights file in a folder, or the only index of a file that
// is split into several (model.safetensors.index.json), whose parts are not
// counted; "" if there is none. Ignores a transformers Trainer's files without
// weights (optimizer.pt, training_args.bin). Throws Error(kUsage), naming
// `key`, if there are several; Error(kWeights) for an invalid index.
std::string only_weights_in(const std::string& folder, std::string_view key);

} // namespace vitrain::job
