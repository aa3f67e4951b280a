#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "options/auto_augment.h"

namespace vitrain::config {

// Reads a text like rand-m9-mstd0.5-inc1, v0-mstd0.5, augmix-m5-w4-d2,
// torchvision:randaugment-n2-m9-b31 or paddlevit:randaugment-n2-m9. Empty when
// that succeeds, else what is wrong, where, and what would be right.
std::string parse_auto_augment(std::string_view text, AutoAugment& read);

// What is wrong with a text, or empty.
std::string fault_of_auto_augment(const std::string& text);

// timm's rule: with a policy there is no colour jitter, unless the policy is
// one of 3-Augment. True for texts that leave it on.
bool keeps_color_jitter(std::string_view auto_augment);

} // namespace vitrain::config
