#include "launch/processes/heartbeat.h"

#include <atomic>
#include <new>

#include "core/check.h"
#include "core/system/activity.h"

namespace vitrain::launch {

namespace {

// One worker's part of the shared block, in cache lines of its own.
struct alignas(128) Pulse {
  std::atomic<std::uint32_t> phase{0};
  std::atomic<std::int64_t> step{-1};
  std::atomic<std::uint64_t> beats{0};
  std::atomic<double> last_beat{0};
  std::atomic<double> failed{0};
  Activity activity;
  std::atomic<Stacks> stacks{Stacks::kNever};
};
static_assert(std::atomic<double>::is_always_lock_free);

std::size_t block_size(int count) {
  return sizeof(Pulse) * static_cast<std::size_t>(count);
}

Pulse& pulse_of(const Mapping& pulses, int rank) {
  return static_cast<Pulse*>(pulses.data())[rank];
}

} // namespace

HeartbeatBlock::HeartbeatBlock(int local_ranks)
    : fd_(make_shared_memory("vitrain-heartbeat", block_size(local_ranks))),
      pulses_(fd_.get(), Mapping::Access::kWrite) {
  for (int rank = 0; rank < local_ranks; ++rank) {
    auto* pulse = new (&pulse_of(pulses_, rank)) Pulse;
    pulse->last_beat = monotonic_seconds();
  }
}

HeartbeatBlock::Progress HeartbeatBlock::progress(int local_rank) const {
  const Pulse& pulse = pulse_of(pulses_, local_rank);
  Progress result;
  // The time of the beat is read first and written last, so that a phase is
  // never older than its beat.
  result.last_beat = pulse.last_beat.load(std::memory_order_acquire);
  result.failed = pulse.failed.load(std::memory_order_relaxed);
  result.beats = pulse.beats.load(std::memory_order_relaxed);
  result.step = pulse.step.load(std::memory_order_relaxed);
  // A worker with corrupted memory may have written anything.
  const std::uint32_t phase = pulse.phase.load(std::memory_order_relaxed);
  result.phase = static_cast<RunPhase>(phase <= 4 ? phase : 0);
  result.part = pulse.activity.part();
  result.waits = pulse.activity.waits.load(std::memory_order_relaxed);
  result.collectives =
      pulse.activity.collectives.load(std::memory_order_relaxed);
  result.stacks = pulse.stacks.load(std::memory_order_relaxed);
  return result;
}

Heartbeat::Heartbeat(int fd, int local_rank, int local_ranks)
    : pulses_(fd, Mapping::Access::kWrite), rank_(local_rank) {
  VITRAIN_CHECK(
      pulses_.bytes().size() == block_size(local_ranks),
      ExitCode::kInternal,
      "descriptor {} is not the heartbeat block of {} workers",
      fd,
      local_ranks);
  VITRAIN_CHECK(
      local_rank >= 0 && local_rank < local_ranks,
      ExitCode::kInternal,
      "local rank {} of {}",
      local_rank,
      local_ranks);
  beat();
}

void Heartbeat::lead() {
  if (pulses_.data() != nullptr) {
    lead_activity(pulse_of(pulses_, rank_).activity);
    write_stacks_on_signal(pulse_of(pulses_, rank_).stacks);
  }
}

void Heartbeat::enter(RunPhase phase) {
  if (pulses_.data() != nullptr) {
    pulse_of(pulses_, rank_)
        .phase.store(
            static_cast<std::uint32_t>(phase), std::memory_order_relaxed);
    beat();
  }
}

void Heartbeat::beat(std::int64_t step) {
  if (pulses_.data() != nullptr) {
    pulse_of(pulses_, rank_).step.store(step, std::memory_order_relaxed);
    beat();
  }
}

void Heartbeat::beat() {
  if (pulses_.data() != nullptr) {
    Pulse& pulse = pulse_of(pulses_, rank_);
    pulse.beats.fetch_add(1, std::memory_order_relaxed);
    pulse.last_beat.store(monotonic_seconds(), std::memory_order_release);
  }
}

void Heartbeat::failed() {
  if (pulses_.data() != nullptr) {
    double never = 0;
    pulse_of(pulses_, rank_)
        .failed.compare_exchange_strong(never, monotonic_seconds());
  }
}

} // namespace vitrain::launch
