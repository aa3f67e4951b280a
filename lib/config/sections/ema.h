#pragma once

#include <cstdint>
#include <optional>

#include "config/schema/duration.h"
#include "core/enum_names.h"

namespace vitrain::config {

enum class EmaCount { kRun, kEpoch };
constexpr auto names_of(EmaCount) {
  using enum EmaCount;
  return enum_names<EmaCount>({{kRun, "run"}, {kEpoch, "epoch"}});
}

// Average of the weights: exponential moving average, or equally weighted mean.
struct EmaConfig {
  std::optional<double> decay; // nullopt: no exponential moving average
  bool equal = false; // equally weighted mean; not together with decay
  bool warm_up = false;
  double warm_up_gamma = 1.0;
  double warm_up_power = 2.0 / 3.0;
  Duration start{0.0, Duration::Unit::kSteps};
  std::int64_t every = 1;
  EmaCount count = EmaCount::kRun;
  bool average_buffers = true;

  bool active() const { return equal || decay.has_value(); }

  template <typename Visitor>
  void visit(Visitor& v) {
    v.field(
         "decay",
         decay,
         "Share of the old average that each averaging keeps, as 0.9999; "
         "`null`: no exponential average. The average is evaluated and saved "
         "in addition to the weights.")
        .at_least(0.0)
        .less_than(1.0);
    v.field(
        "equal",
        equal,
        "Instead, all averaged weights count equally: stochastic weight "
        "averaging (Izmailov et al., 2018), from `start` on, as 0.75dur, at "
        "each `every`.");
    visit_rest(v);
  }

 private:
  template <typename Visitor>
  void visit_rest(Visitor& v) {
    const auto on = [this] { return active(); };
    const auto warms = [this] { return decay && warm_up; };
    v.field(
         "warm_up",
         warm_up,
         "The n-th averaging keeps 1 - (1 + n / warm_up_gamma) ^ "
         "-warm_up_power, at most `decay`: the average soon forgets the first "
         "weights.")
        .needs("train.ema.decay", [this] { return decay.has_value(); });
    v.field("warm_up_gamma", warm_up_gamma, "`warm_up`: see there.")
        .more_than(0.0)
        .needs("train.ema.warm_up", warms);
    v.field(
         "warm_up_power",
         warm_up_power,
         "`warm_up`: 2/3 for a million steps and more, 3/4 for fewer.")
        .more_than(0.0)
        .needs("train.ema.warm_up", warms);
    v.field(
         "start",
         start,
         "Until then the average is a copy of the weights: `5ep`, `500st` or "
         "`0.1dur`.")
        .needs("train.ema.decay or equal", on);
    v.field("every", every, "Steps from one averaging to the next.")
        .in_range(1, 1000000000)
        .needs("train.ema.decay or equal", on);
    v.field(
         "count",
         count,
         "Where `every` counts from. `run`: the start of the run: steps N, 2N, "
         "... update the average. `epoch`: the first step of each epoch: steps "
         "1, N + 1, 2N + 1, ... of every epoch do (torchvision's references).")
        .needs("train.ema.decay or equal", on);
    v.field(
         "average_buffers",
         average_buffers,
         "Running statistics of BatchNorm are averaged too; false: they are "
         "copied from the weights.")
        .needs("train.ema.decay or equal", on);
  }
};

} // namespace vitrain::config
