#include "meeting.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>

#include "record.h"

namespace vitrain::fake_cuda {
namespace {

constexpr int kRanks = 64;
// Number of calls that a rank may be ahead of the others, as with NCCL's queue.
constexpr std::uint64_t kAhead = 256;
constexpr useconds_t kNap = 50;

constexpr std::array<const char*, 5> kNames{
    "all-reduce",
    "broadcast",
    "reduce",
    "all-gather",
    "reduce-scatter"};

std::string words(int rank, const Call& call) {
  return "rank " + std::to_string(rank) + " calls " + kNames.at(call.kind) +
      " of " + std::to_string(call.count) + " of type " +
      std::to_string(call.type) + " (operation " +
      std::to_string(call.operation) + ", root " + std::to_string(call.root) +
      ")";
}

} // namespace

// All of it begins as zeros.
struct Meeting::Shared {
  struct Rank {
    std::atomic<std::uint32_t> present;
    std::atomic<std::uint64_t> calls; // made
    std::atomic<std::uint64_t>
        checked; // calls compared with those of other ranks
    std::array<Call, 2 * kAhead> ring;
  };
  std::atomic<std::uint32_t> aborted;
  std::array<Rank, kRanks> ranks;
};

Meeting::Meeting(const std::string& path, int rank, int size)
    : rank_(rank), size_(size) {
  if (size > kRanks) {
    fatal_violation("more ranks than the fake has room for");
  }
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  void* const mapped = file < 0 || ::ftruncate(file, sizeof(Shared)) != 0
      ? MAP_FAILED
      : ::mmap(
            nullptr,
            sizeof(Shared),
            PROT_READ | PROT_WRITE,
            MAP_SHARED,
            file,
            0);
  if (mapped == MAP_FAILED) {
    fatal_violation("ranks cannot meet at " + path);
  }
  ::close(file);
  shared_ = static_cast<Shared*>(mapped);
  if (shared_->ranks.at(static_cast<std::size_t>(rank)).present.exchange(1) !=
      0) {
    fatal_violation("two workers are rank " + std::to_string(rank));
  }
  for (int other = 0; other < size; ++other) {
    while (shared_->ranks.at(static_cast<std::size_t>(other)).present == 0) {
      ::usleep(kNap);
    }
  }
  ::unlink(path.c_str()); // all ranks have mapped it
}

Meeting::~Meeting() {
  ::munmap(shared_, sizeof(Shared));
}

std::uint64_t Meeting::all_have_called() const {
  std::uint64_t least = UINT64_MAX;
  for (int rank = 0; rank < size_; ++rank) {
    least = std::min(
        least, shared_->ranks.at(static_cast<std::size_t>(rank)).calls.load());
  }
  return least;
}

// Checks calls and releases them from the ring for this rank.
void Meeting::check_calls() {
  auto& own = shared_->ranks.at(static_cast<std::size_t>(rank_));
  const std::uint64_t end = all_have_called();
  for (std::uint64_t number = own.checked; number < end; ++number) {
    const auto slot = static_cast<std::size_t>(number % own.ring.size());
    for (int rank = 0; rank < size_; ++rank) {
      const auto& other = shared_->ranks.at(static_cast<std::size_t>(rank));
      if (!(other.ring.at(slot) == own.ring.at(slot))) {
        fatal_violation(
            "collective " + std::to_string(number) + ": " +
            words(rank_, own.ring.at(slot)) + ", " +
            words(rank, other.ring.at(slot)));
      }
    }
  }
  std::uint64_t checked = own.checked;
  while (checked < end && !own.checked.compare_exchange_weak(checked, end)) {
  }
}

std::uint64_t Meeting::call(const Call& call) {
  auto& own = shared_->ranks.at(static_cast<std::size_t>(rank_));
  const std::uint64_t number = own.calls;
  const auto others_follow = [&] {
    for (int rank = 0; rank < size_; ++rank) {
      const auto& other = shared_->ranks.at(static_cast<std::size_t>(rank));
      if (other.checked + kAhead <= number) {
        return false;
      }
    }
    return true;
  };
  for (check_calls(); shared_->aborted == 0 && !others_follow();
       check_calls()) {
    ::usleep(kNap);
  }
  own.ring.at(static_cast<std::size_t>(number % own.ring.size())) = call;
  own.calls = number + 1;
  check_calls();
  return number;
}

bool Meeting::finished(std::uint64_t number) {
  check_calls();
  return shared_->aborted != 0 || all_have_called() > number;
}

void Meeting::abort() {
  shared_->aborted = 1;
}

} // namespace vitrain::fake_cuda
