#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace vitrain {

// What a process does at the moment, in memory that another process may read.
struct Activity {
  // The part of the work, filled up with zero bytes.
  std::array<std::atomic<std::uint64_t>, 32> words{};
  std::atomic<bool> waits{false}; // for other processes
  std::atomic<std::int64_t> collectives{0}; // begun so far

  // Returns the part; torn if it is being written.
  std::string part() const;
};

// Makes the calling thread the one whose Doing objects are written to
// `activity`, and collectives counted there, until `activity` ends.
void lead_activity(Activity& activity);

// Counts a collective that begins, and returns its number (1, 2, ...). Any
// thread may call.
std::int64_t count_collective();

// A part of the work that the leading thread does while the object lives; on
// other threads without effect. An inner part replaces the outer one.
class Doing {
 public:
  // Of a longer text the end is kept. `waits`: for other processes, so that
  // this one does not cause a hang.
  explicit Doing(std::string part, bool waits = false);
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;
  ~Doing();

  // Replaces the text of the part.
  void now(std::string part);

 private:
  std::string part_;
  bool waits_ = false;
  Doing* outer_ = nullptr;
};

} // namespace vitrain
