#pragma once

#include <memory>
#include <string_view>

#include "weights/archive.h"

// Low-rank adapters (config::LoraConfig) in checkpoints: next to a layer's
// `weight` [out, in] are `lora_A.weight` [rank, in], `lora_B.weight` [out,
// rank] and `lora_alpha`, an integer.
namespace vitrain::weights {

// Returns true if a tensor with this name belongs to an adapter.
bool is_adapter(std::string_view name);

// Returns the archive with each adapter merged into its layer's weight, which
// becomes weight + alpha / rank * B A, and a note that says so; an archive
// without adapters as it is. Throws Error(kWeights) for incomplete adapters,
// for other shapes, and for other types than F32 (`lora_alpha`: I64).
std::unique_ptr<Archive> merge_adapters(std::unique_ptr<Archive> archive);

} // namespace vitrain::weights
