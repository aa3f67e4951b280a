#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vitrain::launch {

// A process without which a launched worker has nobody who waits for it.
struct Starter {
  pid_t pid = 0;
  std::uint64_t start_time = 0; // tells reused pids apart
};

// The processes from this one's parent up to the launcher, the nearest first:
// the shells and scripts that a worker was wrapped in, which have the rank's
// variable or are a `sh -c` or a fork of what started them, and the first one
// that is none of these. Not beyond a shell that a person types into, whose end
// the terminal announces by SIGHUP, nor beyond a `sh -c` under nohup.
std::vector<Starter> find_starters(const std::string& rank_variable);

// "12-3456,13-3457", and back; what is no such text is nobody.
std::string to_text(const std::vector<Starter>& starters);
std::vector<Starter> starters_from(const std::string& text);

// A thread that ends this process with exit code 7 within a second after one
// of the starters has ended: a killed launcher cannot stop what it started,
// and the shells in between live on. exec ends the thread, too.
class StarterWatch {
 public:
  // `who` for the last words on stderr: "rank 1". Without starters nothing is
  // watched.
  StarterWatch(const std::vector<Starter>& starters, std::string who);
  StarterWatch(const StarterWatch&) = delete;
  StarterWatch& operator=(const StarterWatch&) = delete;
  ~StarterWatch();

  // The last words go to this file as well, such as a worker's log.
  void tell_also(int fd);

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;
};

} // namespace vitrain::launch
