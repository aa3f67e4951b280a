#include "engine/train/log_interval.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include <ATen/ATen.h>

#include "core/hash.h"
#include "data/augment/draw.h"
#include "data/load/loader.h"
#include "dist/group/collectives.h"
#include "engine/step/loss.h"
#include "engine/step/reports.h"
#include "engine/step/train_step.h"
#include "job/run/saved_state.h"

namespace vitrain::engine {
namespace {

// Returns the hash of a sample at a position in a step's global batch. The sum
// over all ranks shows whether two runs had the same samples at the same
// positions.
std::int64_t sample_hash(std::int64_t place, std::int64_t sample) {
  const std::array<std::int64_t, 2> words{place, sample};
  return static_cast<std::int64_t>(
      hash64({reinterpret_cast<const char*>(words.data()), sizeof(words)}));
}

// Returns the sum modulo 2^64: signed overflow would be undefined.
std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(
      static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

// Returns the times of all ranks; empty for a single one. Collective.
std::vector<StepTimes> times_of_all(
    dist::Group& control,
    const StepTimes& own) {
  std::vector<StepTimes> times;
  if (control.size() > 1) {
    for (const at::Tensor& one : control.all_gather(
             at::tensor({own.step, own.data, own.exchange}, at::kDouble))) {
      const auto* values = one.const_data_ptr<double>();
      times.push_back(
          {.step = values[0], .data = values[1], .exchange = values[2]});
    }
  }
  return times;
}

} // namespace

void LogInterval::add(const data::Batch& batch, std::int64_t first) {
  for (const data::Draw& draw : batch.draws) {
    hash_ = wrapping_add(hash_, sample_hash(first++, draw.sample));
  }
  clipped_ += batch.clipped;
}

void LogInterval::end_step(const dist::Traffic& traffic) {
  traffic_.add(traffic);
  ++steps_;
}

void LogInterval::end_loader(const data::Loader& loader) {
  wait_before_ -= loader.wait_seconds();
  warnings_before_ -= loader.image_warnings();
}

job::LogIntervalState LogInterval::state(const data::Loader& loader) {
  traffic_.settle();
  return {
      .steps = steps_,
      .hash = hash_,
      .bytes = traffic_.bytes,
      .dropped = traffic_.dropped,
      .warnings = loader.image_warnings() - warnings_before_,
      .clipped = clipped_};
}

void LogInterval::restore(const job::LogIntervalState& state) {
  steps_ = state.steps;
  restored_steps_ = state.steps;
  hash_ = state.hash;
  clipped_ = state.clipped;
  traffic_.bytes = state.bytes;
  traffic_.dropped = state.dropped;
  warnings_before_ = -state.warnings; // a new loader's count starts at 0
}

TrainReport LogInterval::report(
    dist::Group& control,
    const TrainSums& sums,
    const data::Loader& loader,
    std::int64_t replaced) {
  traffic_.settle();
  // Stop the clock before the workers wait for each other: the wait then
  // belongs to the next interval on all workers.
  pause_clock();
  const double timed_steps = steps_ > restored_steps_
      ? static_cast<double>(steps_ - restored_steps_)
      : 1.0;
  const double own_timed = seconds_;
  const double own_seconds =
      own_timed * static_cast<double>(steps_) / timed_steps;
  const double own_wait = loader.wait_seconds() - wait_before_;
  const dist::Staleness& stale = traffic_.staleness;
  const dist::Dict reduced = dist::reduce_dict(
      control,
      {{"loss", sums.loss},
       {"correct1", sums.correct1},
       {"correct5", sums.correct5},
       {"count", sums.count},
       {"seconds", own_seconds},
       {"timed", own_timed},
       {"wait", own_wait},
       {"exposed", traffic_.exposed_seconds},
       // An exchange that spans steps may have begun before the interval.
       {"busy", std::min(traffic_.busy_seconds, own_timed)},
       {"stale_updates", stale.updates},
       {"stale_sum", stale.sum},
       {"stale_largest", stale.largest},
       {"bytes", traffic_.bytes},
       {"dropped", traffic_.dropped},
       {"replaced", replaced},
       {"warnings", loader.image_warnings() - warnings_before_},
       {"clipped", clipped_},
       {"hash", hash_}},
      /*average=*/false,
      /*largest=*/{"stale_largest"});
  const auto integer = [&](const char* key) {
    return std::get<std::int64_t>(reduced.at(key));
  };
  const auto number = [&](const char* key) {
    return std::get<double>(reduced.at(key));
  };
  const double workers = control.size();
  const double worker_steps = workers * timed_steps;
  const TrainReport report{
      .loss_sum = number("loss"),
      .correct1 = integer("correct1"),
      .correct5 = integer("correct5"),
      .count = integer("count"),
      .steps = steps_,
      .seconds = number("seconds") / workers,
      .data_wait = number("wait") / number("timed"),
      .comm_bytes = integer("bytes") / control.size() / steps_,
      .comm_seconds = number("exposed") / worker_steps,
      .comm_busy_seconds = number("busy") / worker_steps,
      .dropped = integer("dropped"),
      .stale =
          {.updates = integer("stale_updates"),
           .sum = integer("stale_sum"),
           .largest = integer("stale_largest")},
      .replaced = integer("replaced"),
      .image_warnings = integer("warnings"),
      .clipped_images = integer("clipped"),
      .samples_hash = to_hex(static_cast<std::uint64_t>(integer("hash"))),
      .own =
          {.loss_sum = sums.loss,
           .correct1 = sums.correct1,
           .count = sums.count,
           .seconds = own_seconds,
           .data_wait = own_wait / own_timed,
           .comm_bytes = traffic_.bytes / steps_,
           .comm_wait = traffic_.exposed_seconds / own_timed},
      .workers = times_of_all(
          control,
          {.step = own_timed / timed_steps,
           .data = own_wait / timed_steps,
           .exchange = traffic_.exposed_seconds / timed_steps})};
  begin_next(loader);
  return report;
}

void LogInterval::begin_next(const data::Loader& loader) {
  seconds_ = 0.0;
  steps_ = 0;
  restored_steps_ = 0;
  hash_ = 0;
  clipped_ = 0;
  traffic_ = {};
  wait_before_ = loader.wait_seconds();
  warnings_before_ = loader.image_warnings();
}

} // namespace vitrain::engine
