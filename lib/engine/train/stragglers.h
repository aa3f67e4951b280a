#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/device/session.h"
#include "engine/step/reports.h"

namespace vitrain::engine {

// A worker that has been slower than the others for a while.
struct Straggler {
  std::size_t rank = 0;
  std::string section; // where it loses most: data, ...
  double factor = 0.0; // its time in relation to the median of the workers
};

// Finds stragglers in the times of all workers' steps.
class Stragglers {
 public:
  // At least so many steps are judged together.
  static constexpr std::int64_t kSteps = 50;

  // Takes the mean times of the next `steps` steps. Returns the workers that
  // have become stragglers by them.
  std::vector<Straggler> take(
      const std::vector<StepTimes>& workers,
      std::int64_t steps);

 private:
  std::vector<Straggler> judge();

  std::vector<StepTimes> sums_; // by rank, of the steps to be judged
  std::int64_t steps_ = 0; // of sums_
  std::vector<bool> slow_; // by rank, in the steps judged last
};

// Rank 0 warns of the stragglers of the report's steps. Collective.
void tell_stragglers(
    const Session& session,
    Stragglers& stragglers,
    const TrainReport& report);

} // namespace vitrain::engine
