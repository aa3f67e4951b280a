#pragma once

#include <ATen/Parallel.h>

namespace vitrain::engine {

// Operators of the calling thread use one thread. The number that new threads
// start with is one as well, until the scope of the thread that waits for all
// others ends.
class OneIntraOpThread {
 public:
  OneIntraOpThread() : before_(at::get_num_threads()) {
    at::set_num_threads(1);
  }
  ~OneIntraOpThread() { at::set_num_threads(before_); }
  OneIntraOpThread(const OneIntraOpThread&) = delete;
  OneIntraOpThread& operator=(const OneIntraOpThread&) = delete;

 private:
  int before_;
};

} // namespace vitrain::engine
