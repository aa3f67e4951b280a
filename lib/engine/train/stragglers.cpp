#include "engine/train/stragglers.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/system/lock_holder.h"
#include "core/text.h"
#include "dist/group/collectives.h"
#include "dist/group/connect.h"
#include "logging/console.h"

namespace vitrain::engine {
namespace {

constexpr double kFactor = 1.5;
// Seconds per step; smaller differences are noise.
constexpr double kLeastSeconds = 0.005;

// Returns the seconds outside the exchange. In the exchange workers wait for a
// slow one, so that whole steps take the same time on all.
double work_of(const StepTimes& times) {
  return times.step - times.exchange;
}

// Returns the (lower) median over the workers.
template <typename Part>
double median(const std::vector<StepTimes>& workers, Part part) {
  std::vector<double> values;
  for (const StepTimes& worker : workers) {
    values.push_back(part(worker));
  }
  const auto middle = values.begin() + (std::ssize(values) - 1) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

} // namespace

std::vector<Straggler> Stragglers::take(
    const std::vector<StepTimes>& workers,
    std::int64_t steps) {
  sums_.resize(workers.size());
  slow_.resize(workers.size());
  for (std::size_t rank = 0; rank < workers.size(); ++rank) {
    const auto count = static_cast<double>(steps);
    sums_[rank].step += count * workers[rank].step;
    sums_[rank].data += count * workers[rank].data;
    sums_[rank].exchange += count * workers[rank].exchange;
  }
  steps_ += steps;
  return steps_ < kSteps || workers.size() < 2 ? std::vector<Straggler>()
                                               : judge();
}

std::vector<Straggler> Stragglers::judge() {
  const double work = median(sums_, work_of);
  const double step =
      median(sums_, [](const StepTimes& one) { return one.step; });
  const double data =
      median(sums_, [](const StepTimes& one) { return one.data; });
  const double noise = kLeastSeconds * static_cast<double>(steps_);
  const auto is_slow = [&](double seconds, double usual) {
    return seconds > kFactor * usual && seconds - usual > noise;
  };
  std::vector<Straggler> found;
  for (std::size_t rank = 0; rank < sums_.size(); ++rank) {
    const StepTimes& own = sums_[rank];
    const bool works = is_slow(work_of(own), work);
    const bool was_slow = slow_[rank];
    slow_[rank] = works || is_slow(own.step, step);
    if (slow_[rank] && !was_slow) {
      const bool reads = own.data - data > (work_of(own) - work) / 2;
      found.push_back(
          {.rank = rank,
           .section = !works ? "exchange"
               : reads       ? "data"
                             : "forward and backward",
           .factor = works ? work_of(own) / work : own.step / step});
    }
  }
  sums_.assign(sums_.size(), {});
  steps_ = 0;
  return found;
}

void tell_stragglers(
    const Session& session,
    Stragglers& stragglers,
    const TrainReport& report) {
  const auto found = stragglers.take(report.workers, report.steps);
  if (found.empty()) {
    return;
  }
  const auto hosts =
      dist::all_gather(*session.groups.control, this_process().host);
  for (const Straggler& one : found) {
    if (session.rank == 0) {
      session.observer.console().warn(fmt::format(
          "rank {} (host {}) takes {:.1f} times as long as the median of the "
          "workers, in {}, in the last {} steps",
          one.rank,
          printable(hosts[one.rank]),
          one.factor,
          one.section,
          Stragglers::kSteps));
    }
  }
}

} // namespace vitrain::engine
