#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace vitrain {

// Current activity of a process, in memory that another process may read.
struct Activity {
  // Name of the part of the work in progress, filled up with zero bytes.
  std::array<std::atomic<std::uint64_t>, 32> words{};
  std::atomic<bool> waits{false}; // the part waits for other processes
  std::atomic<std::int64_t> collectives{0}; // number begun so far

  // Returns the name, "" if none is in progress; a mixture of two names if it
  // is being written.
  std::string part() const;
};

// Publishes in `activity`, from here on, the Doing objects that the calling
// thread creates and the number of collectives that all threads count.
// `activity` must outlive the process's threads.
void lead_activity(Activity& activity);

// Counts a collective that begins, and returns its number (1, 2, ...). Any
// thread may call.
std::int64_t count_collective();

// A part of the work that the leading thread does while the object lives; on
// other threads without effect. An inner part replaces the outer one.
class Doing {
 public:
  // `part`: name, of which at most the last 255 bytes are published. `waits`:
  // the part waits for other processes, so it does not cause a hang.
  explicit Doing(std::string part, bool waits = false);
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;
  ~Doing();

  // Replaces the name.
  void now(std::string part);

 private:
  std::string part_;
  bool waits_ = false;
  Doing* outer_ = nullptr;
};

} // namespace vitrain
