#pragma once

#include "core/enum_names.h"

namespace vitrain::config {

enum class ScheduleKind {
  kCosine,
  kLinear,
  kPolynomial,
  kStep,
  kExponential,
  kRsqrt,
  kOneCycle,
  kPlateau,
  kRangeTest,
  kConstant
};
constexpr auto names_of(ScheduleKind) {
  using enum ScheduleKind;
  return enum_names<ScheduleKind>(
      {{kCosine, "cosine"},
       {kLinear, "linear"},
       {kPolynomial, "polynomial"},
       {kStep, "step"},
       {kExponential, "exponential"},
       {kRsqrt, "rsqrt"},
       {kOneCycle, "one_cycle"},
       {kPlateau, "plateau"},
       {kRangeTest, "range_test"},
       {kConstant, "constant"}});
}
enum class CooldownShape { kSqrt, kLinear, kCosine };
constexpr auto names_of(CooldownShape) {
  using enum CooldownShape;
  return enum_names<CooldownShape>(
      {{kSqrt, "sqrt"}, {kLinear, "linear"}, {kCosine, "cosine"}});
}
enum class ScheduleUnit { kStep, kEpoch };
constexpr auto names_of(ScheduleUnit) {
  using enum ScheduleUnit;
  return enum_names<ScheduleUnit>({{kStep, "step"}, {kEpoch, "epoch"}});
}

} // namespace vitrain::config
