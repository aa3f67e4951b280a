#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

// Folders with weights of other programs, as save_pretrained() writes them.
namespace vitrain::job {

// Extensions of weights files, in the order of messages.
inline constexpr auto kWeightsExtensions = std::to_array<const char*>(
    {".safetensors", ".pth", ".pt", ".bin", ".npz", ".pdparams"});

// Returns all extensions, separated by spaces.
std::string weights_extensions();

// Returns the only weights file in a folder, or the index of a file divided
// into several (model.safetensors.index.json), whose parts do not count by
// themselves; "" if there is none. Other files of a transformers Trainer do not
// count. Throws Error(kUsage) with `key` if there are several; Error(kWeights)
// for an invalid index.
std::string only_weights_in(const std::string& folder, std::string_view key);

} // namespace vitrain::job
