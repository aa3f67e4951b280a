#pragma once

#include <ATen/Parallel.h>

namespace vitrain::engine {

// In its scope, operators of the calling thread use one thread. New threads
// also start with one, until the scope of the thread that joins all others
// ends.
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
