#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vitrain::config {

// Lookahead, which wraps an optimizer.
struct LookaheadConfig {
  std::optional<std::int64_t> every;
  double alpha = 0.5;
  double ramp = 0.0;
  bool buffers = false;
  bool ends_slow = false;

  // Returns the end of OptimConfig::identity(); "" without Lookahead.
  std::string identity() const {
    const char* kept =
        buffers ? " with lookahead of buffers" : " with lookahead";
    return every ? kept : "";
  }
  // Returns true if Lookahead is on and depends on the step of the run (ramp,
  // ends_slow), or also changes the buffers.
  bool changes() const { return every && (ramp > 0.0 || buffers || ends_slow); }

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
         "every",
         every,
         "After this number of updates slow weights and weights are both set "
         "to a point between them; null: no Lookahead.")
        .in_range(1, 1 << 20);
    const auto on = [this] { return every.has_value(); };
    v.field("alpha", alpha, "How far from the slow weights that point is.")
        .more_than(0.0)
        .at_most(1.0)
        .needs("optim.lookahead.every", on);
    v.field(
         "ramp",
         ramp,
         "The point moves away from the weights in the run: in step t of T it "
         "keeps (1 - alpha) (t / T) ^ ramp of the slow weights, which begin as "
         "the first weights (Jordan, 2024: 3). 0: always 1 - alpha.")
        .in_range(0.0, 100.0)
        .needs("optim.lookahead.every", on);
    v.field(
         "buffers",
         buffers,
         "Also applies to running statistics of BatchNorm; false: they are "
         "not changed.")
        .needs("optim.lookahead.every", on);
    v.field(
         "ends_slow",
         ends_slow,
         "The last step of the run leaves the slow weights.")
        .needs("optim.lookahead.every", on);
  }
};

} // namespace vitrain::config
