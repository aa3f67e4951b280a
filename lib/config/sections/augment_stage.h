#pragma once

#include <cstdint>
#include <string>

namespace vitrain::config {

struct Recipe;

inline constexpr const char* kAugmentStageForm =
    "map of from_epoch and, with it, keys of data.augment or batch_size";

// Items of data.augment.stages. Each is a YAML map, kept as text: from_epoch,
// the stage's first epoch (from 2; epochs count from 1), and keys that change
// with it: keys of data.augment, without that prefix, and batch_size.

// Returns "" if `text` is a valid item, otherwise the mistake.
std::string validate_augment_stage(const std::string& text);

// Sets data.augment.* and data.batch_size of the recipe to the values of a
// valid item. Returns from_epoch.
std::int64_t take_augment_stage(const std::string& text, Recipe& recipe);

} // namespace vitrain::config
