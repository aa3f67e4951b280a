#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace vitrain::data {

// An operation by the name that its definition gives it, with the probability
// and the magnitude that a table of AutoAugment has for it.
struct TableStep {
  std::string_view name;
  double probability = 1;
  double magnitude = 0;
};

// One choice of AutoAugment: its steps in order.
using TableChoice = std::vector<TableStep>;

// timm's tables by name (v0, v0r, original, originalr, 3a), and torchvision's
// (imagenet, cifar10, svhn). Empty for another name.
std::vector<TableChoice> auto_augment_table(std::string_view name);

struct WeightedName {
  std::string_view name;
  double weight = 1;
};

// The operations that timm's RandAugment draws from: set "" (with and without
// increasing variants), weights, 3a or 3aw. Those of weights and 3aw are drawn
// with their weights and without repetition.
std::vector<WeightedName> timm_rand_operations(
    std::string_view set,
    bool increasing);
// Names of the operations of timm's AugMix and of torchvision's RandAugment and
// AugMix.
std::span<const std::string_view> timm_mix_operations();
std::span<const std::string_view> torchvision_operations();
// `all`: includes brightness, colour, contrast and sharpness.
std::span<const std::string_view> torchvision_mix_operations(bool all);

} // namespace vitrain::data
