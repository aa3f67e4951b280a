#pragma once

#include <ATen/Parallel.h>

namespace vitrain::engine {

// Makes operators of the calling thread use one thread during its scope.
// Threads that first use torch in the meantime start with one as well, until
// the outermost scope ends.
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
