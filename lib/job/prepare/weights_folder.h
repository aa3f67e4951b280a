#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

// Folders with weights of other programs, as save_pretrained() writes them.
namespace vitrain::job {

// Of files of weights, in the order in which people are told of them.
inline constexpr auto kWeightsExtensions = std::to_array<const char*>(
    {".safetensors", ".pth", ".pt", ".bin", ".npz", ".pdparams"});

// All of them, with blanks between.
std::string weights_extensions();

// The only file of weights in a folder, or the index of those in it that are
// one together (model.safetensors.index.json), which do not count by
// themselves; "" where there is none. What a transformers Trainer saves beside
// them does not count either. Throws Error(kUsage) with `key` when there are
// several, as a whole file beside an index; Error(kWeights) for an index that
// is none.
std::string only_weights_in(const std::string& folder, std::string_view key);

} // namespace vitrain::job
