#pragma once

#include <cstdint>

#include "core/enum_names.h"

namespace vitrain::config {

enum class OnBadSample { kError, kReplace };
constexpr auto names_of(OnBadSample) {
  using enum OnBadSample;
  return enum_names<OnBadSample>({{kError, "error"}, {kReplace, "replace"}});
}
enum class DecoderWarnings { kCount, kReject };
constexpr auto names_of(DecoderWarnings) {
  using enum DecoderWarnings;
  return enum_names<DecoderWarnings>({{kCount, "count"}, {kReject, "reject"}});
}

// Limits on the different unreadable training samples that a run replaces; the
// smaller one holds.
struct BadSamplesConfig {
  std::int64_t limit = 100;
  double fraction = 0.01;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field("limit", limit, "Most different bad training samples of a run.")
        .at_least(0);
    v.field(
         "fraction",
         fraction,
         "The same as a share of the training samples; the smaller one holds.")
        .in_range(0.0, 1.0);
  }
};

} // namespace vitrain::config
