#include "weights/dtype.h"

#include <algorithm>
#include <array>
#include <ranges>

#include <fmt/ranges.h>

namespace vitrain::weights {
namespace {

using enum DType::Kind;

// Types in the order of the reference implementation's enum, which is also the
// order of increasing alignment.
constexpr std::array kTypes{
    DType{"BOOL", 1, kBoolean},
    DType{"U8", 1, kInteger},
    DType{"I8", 1, kInteger},
    DType{"F8_E5M2", 1, kFloat},
    DType{"F8_E4M3", 1, kFloat},
    DType{"I16", 2, kInteger},
    DType{"U16", 2, kInteger},
    DType{"F16", 2, kFloat},
    DType{"BF16", 2, kFloat},
    DType{"I32", 4, kInteger},
    DType{"U32", 4, kInteger},
    DType{"F32", 4, kFloat},
    DType{"C64", 8, kComplex},
    DType{"F64", 8, kFloat},
    DType{"I64", 8, kInteger},
    DType{"U64", 8, kInteger},
};

} // namespace

const DType* find_dtype(std::string_view name) {
  const auto* found = std::ranges::find(kTypes, name, &DType::name);
  return found == kTypes.end() ? nullptr : found;
}

std::string known_dtypes() {
  return fmt::format(
      "{}", fmt::join(kTypes | std::views::transform(&DType::name), ", "));
}

} // namespace vitrain::weights
