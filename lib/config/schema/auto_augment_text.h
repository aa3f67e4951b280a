#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "options/auto_augment.h"

namespace vitrain::config {

// Parses a text like rand-m9-mstd0.5-inc1, v0-mstd0.5, augmix-m5-w4-d2,
// torchvision:randaugment-n2-m9-b31 or paddlevit:randaugment-n2-m9 into `read`.
// Returns "" on success, otherwise the mistake, its position and the allowed
// values.
std::string parse_auto_augment(std::string_view text, AutoAugment& read);

// Returns the mistake in a text; "" if it is valid.
std::string validate_auto_augment(const std::string& text);

// Returns true if data.augment.color_jitter still applies with this text. As in
// timm, a policy disables it unless it is 3-Augment.
bool keeps_color_jitter(std::string_view auto_augment);

} // namespace vitrain::config
