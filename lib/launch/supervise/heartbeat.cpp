#include "launch/supervise/heartbeat.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <utility>

#include "core/check.h"
#include "launch/processes/descriptors.h"

namespace vitrain::launch {

const char* section_name(Section section) {
  switch (section) {
    case Section::kSetup:
      return "set-up";
    case Section::kStep:
      return "step";
    case Section::kEval:
      return "evaluation";
    case Section::kCheckpoint:
      return "checkpoint";
    case Section::kDone:
      return "shutdown";
  }
  return "unknown";
}

double monotonic_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) +
      1e-9 * static_cast<double>(now.tv_nsec);
}

namespace detail {

PulseMap::PulseMap(int fd, int count) : count_(count) {
  const std::size_t size = sizeof(Pulse) * static_cast<std::size_t>(count);
  struct stat status {};
  VITRAIN_CHECK(
      ::fstat(fd, &status) == 0 &&
          static_cast<std::size_t>(status.st_size) == size,
      ExitCode::kInternal,
      "descriptor {} is not the heartbeat block of {} workers",
      fd,
      count);
  void* address =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  VITRAIN_CHECK(
      address != MAP_FAILED,
      ExitCode::kInternal,
      "cannot map the heartbeat block: {}",
      error_text(errno));
  first_ = static_cast<Pulse*>(address);
}

PulseMap::PulseMap(PulseMap&& other) noexcept
    : first_(std::exchange(other.first_, nullptr)), count_(other.count_) {}

PulseMap& PulseMap::operator=(PulseMap&& other) noexcept {
  std::swap(first_, other.first_);
  std::swap(count_, other.count_);
  return *this;
}

PulseMap::~PulseMap() {
  if (first_ != nullptr) {
    ::munmap(first_, sizeof(Pulse) * static_cast<std::size_t>(count_));
  }
}

} // namespace detail

HeartbeatBlock::HeartbeatBlock(int local_ranks)
    : fd_(make_shared_memory(
          "vitrain-heartbeat",
          sizeof(detail::Pulse) * static_cast<std::size_t>(local_ranks))),
      pulses_(fd_.get(), local_ranks) {
  for (int rank = 0; rank < local_ranks; ++rank) {
    auto* pulse = new (pulses_.at(rank)) detail::Pulse;
    pulse->last_beat = monotonic_seconds();
  }
}

HeartbeatBlock::Progress HeartbeatBlock::progress(int local_rank) const {
  const detail::Pulse& pulse = *pulses_.at(local_rank);
  Progress result;
  // The beat is read first and written last: a section is never shown older
  // than its beat.
  result.last_beat = pulse.last_beat.load(std::memory_order_acquire);
  result.beats = pulse.beats.load(std::memory_order_relaxed);
  result.step = pulse.step.load(std::memory_order_relaxed);
  // A worker that went mad may have written anything.
  const std::uint32_t section = pulse.section.load(std::memory_order_relaxed);
  result.section = static_cast<Section>(section <= 4 ? section : 0);
  return result;
}

Heartbeat::Heartbeat(int fd, int local_rank, int local_ranks)
    : pulses_(fd, local_ranks), rank_(local_rank) {
  VITRAIN_CHECK(
      local_rank >= 0 && local_rank < local_ranks,
      ExitCode::kInternal,
      "local rank {} of {}",
      local_rank,
      local_ranks);
  beat();
}

void Heartbeat::enter(Section section) {
  if (pulses_) {
    pulses_.at(rank_)->section.store(
        static_cast<std::uint32_t>(section), std::memory_order_relaxed);
    beat();
  }
}

void Heartbeat::beat(std::int64_t step) {
  if (pulses_) {
    pulses_.at(rank_)->step.store(step, std::memory_order_relaxed);
    beat();
  }
}

void Heartbeat::beat() {
  if (pulses_) {
    detail::Pulse& pulse = *pulses_.at(rank_);
    pulse.beats.fetch_add(1, std::memory_order_relaxed);
    pulse.last_beat.store(monotonic_seconds(), std::memory_order_release);
  }
}

} // namespace vitrain::launch
