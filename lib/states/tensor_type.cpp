#include "states/tensor_type.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/check.h"

namespace vitrain::states {
namespace {

struct Row {
  std::string_view name;
  c10::ScalarType type;
};

constexpr std::array kTypes{
    Row{"BOOL", c10::kBool},
    Row{"U8", c10::kByte},
    Row{"I8", c10::kChar},
    Row{"F8_E5M2", c10::kFloat8_e5m2},
    Row{"F8_E4M3", c10::kFloat8_e4m3fn},
    Row{"I16", c10::kShort},
    Row{"U16", c10::kUInt16},
    Row{"F16", c10::kHalf},
    Row{"BF16", c10::kBFloat16},
    Row{"I32", c10::kInt},
    Row{"U32", c10::kUInt32},
    Row{"F32", c10::kFloat},
    Row{"C64", c10::kComplexFloat},
    Row{"F64", c10::kDouble},
    Row{"I64", c10::kLong},
    Row{"U64", c10::kUInt64},
};

} // namespace

c10::ScalarType tensor_type(const weights::DType& type) {
  const auto* row = std::ranges::find(kTypes, type.name, &Row::name);
  VITRAIN_CHECK(
      row != kTypes.end(), ExitCode::kInternal, "no type {}", type.name);
  return row->type;
}

const weights::DType* find_dtype(c10::ScalarType type) {
  const auto* row = std::ranges::find(kTypes, type, &Row::type);
  return row == kTypes.end() ? nullptr : weights::find_dtype(row->name);
}

} // namespace vitrain::states
