#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "options/auto_augment.h"

namespace vitrain::config {

// Reads a text like rand-m9-mstd0.5-inc1, v0-mstd0.5, augmix-m5-w4-d2,
// torchvision:randaugment-n2-m9-b31 or paddlevit:randaugment-n2-m9. Returns ""
// on success, otherwise the mistake, its place and the allowed values.
std::string parse_auto_augment(std::string_view text, AutoAugment& read);

// Returns the mistake in a text, or "".
std::string fault_of_auto_augment(const std::string& text);

// As in timm, a policy disables colour jitter unless it is 3-Augment. Returns
// true for texts that keep it.
bool keeps_color_jitter(std::string_view auto_augment);

} // namespace vitrain::config
