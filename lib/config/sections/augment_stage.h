#pragma once

#include <cstdint>
#include <string>

namespace vitrain::config {

struct Recipe;

inline constexpr const char* kAugmentStageForm =
    "map of from_epoch and, with it, keys of data.augment or batch_size";

// Items of data.augment.stages. Each is a map, kept as text, of keys to change.

// Returns "" if `text` is a valid item, otherwise the mistake.
std::string validate_augment_stage(const std::string& text);

// Applies the keys of a valid item, those of data.augment and data.batch_size,
// to the recipe. Returns the stage's first epoch, at least 2.
std::int64_t take_augment_stage(const std::string& text, Recipe& recipe);

} // namespace vitrain::config
