#pragma once

#include "core/enum_names.h"

namespace vitrain::config {

enum class HeadInit { kAuto, kLoad, kFresh };
constexpr auto names_of(HeadInit) {
  using enum HeadInit;
  return enum_names<HeadInit>(
      {{kAuto, "auto"}, {kLoad, "load"}, {kFresh, "fresh"}});
}
enum class GlobalPool { kAuto, kToken, kAvg };
constexpr auto names_of(GlobalPool) {
  using enum GlobalPool;
  return enum_names<GlobalPool>(
      {{kAuto, "auto"}, {kToken, "token"}, {kAvg, "avg"}});
}

} // namespace vitrain::config
