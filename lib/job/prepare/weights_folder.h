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

// Throws Error(kWeights) where a path is the table of contents of several files
// that have one network's weights together, or a folder with one.
void check_is_whole(const std::filesystem::path& path);

// The only file of weights in a folder; "" where there is none. What a
// transformers Trainer saves beside them does not count. Throws Error(kUsage)
// with `key` when there are several, Error(kWeights) as check_is_whole().
std::string only_weights_in(const std::string& folder, std::string_view key);

} // namespace vitrain::job
