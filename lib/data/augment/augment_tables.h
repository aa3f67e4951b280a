#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace vitrain::data {

// An operation, by its name in the original implementation, with the
// probability and magnitude (0 to 10) from a table of AutoAugment.
struct TableStep {
  std::string_view name;
  double probability = 1;
  double magnitude = 0;
};

// One sub-policy of AutoAugment: its steps in order, one or two.
using TableChoice = std::vector<TableStep>;

// Returns the AutoAugment table with this name: timm's v0, v0r, original,
// originalr or 3a, or torchvision's imagenet, cifar10 or svhn. Empty for any
// other name.
std::vector<TableChoice> auto_augment_table(std::string_view name);

struct WeightedName {
  std::string_view name;
  double weight = 1;
};

// Returns the operations that timm's RandAugment samples from. `set`: "",
// "weights", "3a" or "3aw". `increasing` applies only to "": true gives the
// variants of operations whose effect grows with the magnitude (timm's `inc`).
// Operations of "weights" and "3aw" are sampled with their weights and without
// replacement; operations of the other sets have weight 1.
std::vector<WeightedName> timm_rand_operations(
    std::string_view set,
    bool increasing);
// Names of the operations of timm's AugMix, and of torchvision's RandAugment
// and TrivialAugmentWide.
std::span<const std::string_view> timm_mix_operations();
std::span<const std::string_view> torchvision_operations();
// Names of the operations of torchvision's AugMix. `all`: includes brightness,
// colour, contrast and sharpness (torchvision's all_ops).
std::span<const std::string_view> torchvision_mix_operations(bool all);

} // namespace vitrain::data
