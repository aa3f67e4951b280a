#pragma once

namespace vitrain::networks {

// While it lives, the functions of init.h leave weights of this thread
// uninitialised. Sampling takes most of the time of making a network, and is
// wasted if all weights are loaded afterwards.
class SkipWeightInit {
 public:
  SkipWeightInit();
  ~SkipWeightInit();
  SkipWeightInit(const SkipWeightInit&) = delete;
  SkipWeightInit& operator=(const SkipWeightInit&) = delete;

 private:
  bool before_;
};

} // namespace vitrain::networks
