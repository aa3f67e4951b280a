#pragma once

#include <cstdint>

#include "core/enum_names.h"

namespace vitrain::data {

// Form in which a dataset writes its labels: as numbers that count from 0, or
// as names of classes. kNone: labels are not text (folders, binary files).
enum class LabelForm : std::int32_t { kNone, kNumbers, kNames };

constexpr auto names_of(LabelForm) {
  using enum LabelForm;
  return enum_names<LabelForm>(
      {{kNone, "none"}, {kNumbers, "numbers"}, {kNames, "names"}});
}

} // namespace vitrain::data
