#include "launch/supervise/restarts.h"

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain::launch {

bool Restarts::after(const Death& death) {
  if (allowed_ <= 0) {
    return false;
  }
  if (!death.how.empty() && death.how == last_.how &&
      death.step == last_.step) {
    reason_ = fmt::format(
        "not started again: a worker {} for the second time, and would do so "
        "again",
        death.how);
    return false;
  }
  in_a_row_ = death.step > furthest_ ? 1 : in_a_row_ + 1;
  furthest_ = death.step > furthest_ ? death.step : furthest_;
  last_ = death;
  if (in_a_row_ > allowed_) {
    reason_ = fmt::format(
        "not started again: {} without getting further than step {}",
        allowed_ == 1 ? "a restart" : fmt::format("{} restarts", allowed_),
        with_commas(furthest_ < 0 ? 0 : furthest_));
    return false;
  }
  return true;
}

} // namespace vitrain::launch
