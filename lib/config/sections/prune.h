#pragma once

#include <string>
#include <vector>

#include "config/schema/duration.h"
#include "core/enum_names.h"

namespace vitrain::config {

// Weights that are compared with each other: all, or the weights of one layer.
enum class PruneScope { kGlobal, kLayer };
constexpr auto names_of(PruneScope) {
  using enum PruneScope;
  return enum_names<PruneScope>({{kGlobal, "global"}, {kLayer, "layer"}});
}
// Unit of pruning. kRow: all weights from which one output is computed.
enum class PruneUnit { kWeight, kRow };
constexpr auto names_of(PruneUnit) {
  using enum PruneUnit;
  return enum_names<PruneUnit>({{kWeight, "weight"}, {kRow, "row"}});
}

// Pruning: weights of small magnitude become zero and stay zero.
struct PruneConfig {
  double amount = 0.0;
  PruneScope scope = PruneScope::kGlobal;
  PruneUnit unit = PruneUnit::kWeight;
  std::vector<std::string> match{"*weight"};
  Duration start{0.1, Duration::Unit::kFraction};
  Duration end{0.7, Duration::Unit::kFraction};
  Duration every{0.02, Duration::Unit::kFraction};

  bool active() const { return amount > 0.0; }

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
         "amount",
         amount,
         "Share of the weights that are zero in the end; 0: no pruning. Files "
         "and speed stay the same: the zeros are for programs that use them.")
        .at_least(0.0)
        .less_than(1.0);
    const auto on = [this] { return active(); };
    v.field(
         "scope",
         scope,
         "`global`: the smallest weights of all layers together; `layer`: the "
         "same share of each.")
        .needs("train.prune.amount", on);
    v.field(
         "unit",
         unit,
         "`weight`: each by itself; `row`: all that one output is computed "
         "from, by its Euclidean norm; `scope` must be layer then.")
        .needs("train.prune.amount", on);
    v.field(
         "match",
         match,
         "Names of the parameters that are pruned, of those with two or more "
         "dimensions; `*` is any text, and a pattern stands for all names that "
         "begin with it and a dot, too.")
        .needs("train.prune.amount", on);
    v.field("start", start, "The first weights become zero after it.")
        .needs("train.prune.amount", on);
    v.field(
         "end",
         end,
         "By then `amount` is reached: before, after t of n steps from "
         "`start`, "
         "the share is amount x (1 - (1 - t / n)^3).")
        .needs("train.prune.amount", on);
    v.field("every", every, "From one pruning to the next.")
        .needs("train.prune.amount", on);
  }
};

} // namespace vitrain::config
