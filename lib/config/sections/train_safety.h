#pragma once

#include <charconv>
#include <cstdint>
#include <string>

#include "core/enum_names.h"

namespace vitrain::config {

enum class OnNonFinite { kStop, kSkip, kRollback };
constexpr auto names_of(OnNonFinite) {
  using enum OnNonFinite;
  return enum_names<OnNonFinite>(
      {{kStop, "stop"}, {kSkip, "skip"}, {kRollback, "rollback"}});
}

// Parses train.recompute. Returns n if every n-th block is recomputed (1 for
// "blocks"), 0 for "none", -1 for an invalid text.
inline std::int64_t recompute_every(const std::string& text) {
  if (text == "none" || text == "blocks") {
    return text == "none" ? 0 : 1;
  }
  std::int64_t every = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, every);
  return error == std::errc() && at == end && every > 0 ? every : -1;
}

inline std::string validate_recompute(const std::string& text) {
  return recompute_every(text) < 0 ? "expected none, blocks or a number from 1"
                                   : "";
}

// Keys of `train` about memory and non-finite numbers.
template <typename Visitor>
void visit_safety(
    Visitor& v,
    std::string& recompute,
    OnNonFinite& on_non_finite,
    std::int64_t& in_a_row,
    std::int64_t& in_all) {
  v.field(
       "recompute",
       recompute,
       "`blocks`: of each block of the network only its input is kept, and "
       "backward computes the rest again, for less memory and a third more "
       "time; N: of each N-th block only. Gradients have the same bits. For "
       "networks of blocks without BatchNorm.")
      .written_as("none, blocks or a number of blocks", validate_recompute);
  v.field(
      "on_non_finite",
      on_non_finite,
      "Reaction to a gradient norm that is not finite. `stop`: exit 5. "
      "`skip`: the step changes nothing on any worker, and the run "
      "continues. `rollback`: weights and optimizer are reset to the last "
      "checkpoint, and the run continues after the step; the samples since "
      "then are not used again.");
  const auto goes_on = [&on_non_finite] {
    return on_non_finite != OnNonFinite::kStop;
  };
  v.field(
       "non_finite_in_a_row",
       in_a_row,
       "So many steps in a row may be skipped or rolled back; one more is exit "
       "5.")
      .at_least(1)
      .needs("train.on_non_finite: skip or rollback", goes_on);
  v.field("non_finite_in_all", in_all, "The same for the whole run.")
      .at_least(1)
      .needs("train.on_non_finite: skip or rollback", goes_on);
}

} // namespace vitrain::config
