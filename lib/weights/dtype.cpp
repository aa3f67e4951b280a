#include "weights/dtype.h"

#include <array>

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

std::optional<DType> find_dtype(std::string_view name) {
  for (const DType& type : kTypes) {
    if (name == type.name) {
      return type;
    }
  }
  return std::nullopt;
}

std::optional<DType> find_dtype(c10::ScalarType type) {
  const int rank = dtype_rank(type);
  return rank < 0 ? std::nullopt
                  : std::optional(kTypes[static_cast<std::size_t>(rank)]);
}

int dtype_rank(c10::ScalarType type) {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (kTypes[i].type == type) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

std::string known_dtypes() {
  std::string names;
  for (const DType& type : kTypes) {
    names += names.empty() ? "" : ", ";
    names += type.name;
  }
  return names;
}

} // namespace vitrain::weights
