#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "options/auto_augment.h"

namespace vitrain::config {

// Parses a text like rand-m9-mstd0.5-inc1, v0-mstd0.5, augmix-m5-w4-d2,
// torchvision:randaugment-n2-m9-b31 or paddlevit:randaugment-n2-m9 into `read`.
// Returns "" on success. Otherwise returns the mistake, with the position and
// the allowed values if a single part is wrong, and leaves `read` unchanged.
std::string parse_auto_augment(std::string_view text, AutoAugment& read);

// Returns the mistake in a text; "" if it is valid.
std::string validate_auto_augment(const std::string& text);

// Returns true if data.augment.color_jitter still applies with this text. As in
// timm, a policy disables it unless its text contains "3a" (3-Augment).
bool keeps_color_jitter(std::string_view auto_augment);

} // namespace vitrain::config
