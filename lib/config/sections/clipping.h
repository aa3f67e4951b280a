#pragma once

#include <optional>

namespace vitrain::config {

// The keys of `optim` that limit gradients.
template <typename Visitor>
void visit_clipping(
    Visitor& v,
    std::optional<double>& norm,
    std::optional<double>& value,
    std::optional<double>& agc) {
  v.field(
       "clip_norm",
       norm,
       "Gradients are scaled down to this global norm; null: not at all.")
      .more_than(0.0);
  v.field(
       "clip_value",
       value,
       "Each number of a gradient is at most this far from 0; null: not.")
      .more_than(0.0);
  v.field(
       "clip_agc",
       agc,
       "Adaptive clipping (Brock et al., 2021): gradients of an output are "
       "scaled down to this share of the norm of its weights; null: not.")
      .more_than(0.0);
}

} // namespace vitrain::config
