#pragma once

#include <cstdint>
#include <string>

namespace vitrain::config {

struct Recipe;

inline constexpr const char* kAugmentStageForm =
    "map of from_epoch and, with it, keys of data.augment or batch_size";

// An item of data.augment.stages, a map as text, is right when it can be taken
// over.

// Returns "" if `text` is such a map, otherwise the mistake.
std::string fault_of_augment_stage(const std::string& text);

// Applies a valid stage's keys of data.augment and data.batch_size. Returns its
// first epoch, at least 2.
std::int64_t take_augment_stage(const std::string& text, Recipe& recipe);

} // namespace vitrain::config
