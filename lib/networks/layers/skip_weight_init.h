#pragma once

namespace vitrain::networks {

// While it lives, the random functions of init.h leave weights uninitialised on
// this thread; constant() still fills them. Sampling takes most of the time of
// building a network, and is wasted if all weights are loaded afterwards.
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
