#pragma once

#include <cstdint>

namespace vitrain::config {

enum class OnBadSample { kError, kReplace };
enum class DecoderWarnings { kCount, kReject };

// How many bad samples a run puts up with.
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
        .at_least(0.0)
        .at_most(1.0);
  }
};

} // namespace vitrain::config
