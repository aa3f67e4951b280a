#include "weights/dtype.h"

#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/ranges.h>

namespace vitrain::weights {
namespace {

// In the order of the reference implementation's enumeration, which is also the
// order of increasing alignment.
constexpr std::array kTypes{
    DType{"BOOL", 1, c10::kBool},
    DType{"U8", 1, c10::kByte},
    DType{"I8", 1, c10::kChar},
    DType{"F8_E5M2", 1, c10::kFloat8_e5m2},
    DType{"F8_E4M3", 1, c10::kFloat8_e4m3fn},
    DType{"I16", 2, c10::kShort},
    DType{"U16", 2, c10::kUInt16},
    DType{"F16", 2, c10::kHalf},
    DType{"BF16", 2, c10::kBFloat16},
    DType{"I32", 4, c10::kInt},
    DType{"U32", 4, c10::kUInt32},
    DType{"F32", 4, c10::kFloat},
    DType{"C64", 8, c10::kComplexFloat},
    DType{"F64", 8, c10::kDouble},
    DType{"I64", 8, c10::kLong},
    DType{"U64", 8, c10::kUInt64},
};

} // namespace

const DType* find_dtype(std::string_view name) {
  const auto* found = std::ranges::find(kTypes, name, &DType::name);
  return found == kTypes.end() ? nullptr : found;
}

const DType* find_dtype(c10::ScalarType type) {
  const auto* found = std::ranges::find(kTypes, type, &DType::type);
  return found == kTypes.end() ? nullptr : found;
}

std::string known_dtypes() {
  return fmt::format(
      "{}", fmt::join(kTypes | std::views::transform(&DType::name), ", "));
}

} // namespace vitrain::weights
