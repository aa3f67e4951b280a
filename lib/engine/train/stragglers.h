#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/device/session.h"
#include "engine/step/reports.h"

namespace vitrain::engine {

// A worker that took more than 1.5 times the median time of all workers in the
// judged steps.
struct Straggler {
  std::size_t rank = 0;
  std::string section; // "data", "forward and backward", "exchange"
  // Its seconds outside the exchange (in section "exchange", of whole steps),
  // divided by the median over the workers.
  double factor = 0.0;
};

// Finds stragglers in the times of all workers' steps.
class Stragglers {
 public:
  // Minimum number of steps that are judged together.
  static constexpr std::int64_t kSteps = 50;

  // Adds the mean times of `steps` more steps, by rank. Once they are kSteps,
  // judges them and returns the workers that are slow and were not when last
  // judged; otherwise, and for a single worker, returns an empty list.
  std::vector<Straggler> take(
      const std::vector<StepTimes>& workers,
      std::int64_t steps);

 private:
  std::vector<Straggler> judge();

  std::vector<StepTimes> sums_; // seconds by rank, of the steps to judge
  std::int64_t steps_ = 0; // of sums_
  std::vector<bool> slow_; // by rank, in the steps judged last
};

// Passes the report's step times, which every rank has, to `stragglers`; rank 0
// warns of the workers that it returns. Collective.
void tell_stragglers(
    const Session& session,
    Stragglers& stragglers,
    const TrainReport& report);

} // namespace vitrain::engine
