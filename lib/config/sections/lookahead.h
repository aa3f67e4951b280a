#pragma once

#include <cstdint>
#include <optional>

namespace vitrain::config {

// Lookahead around an optimizer.
struct LookaheadConfig {
  std::optional<std::int64_t> every;
  double alpha = 0.5;

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
         "every",
         every,
         "Every so many updates the weights go back to a point between slow "
         "weights and themselves, which becomes the slow weights; null: no "
         "Lookahead.")
        .in_range(1, 1 << 20);
    v.field("alpha", alpha, "How far from the slow weights that point is.")
        .more_than(0.0)
        .at_most(1.0)
        .needs("optim.lookahead.every", [this] { return every.has_value(); });
  }
};

} // namespace vitrain::config
