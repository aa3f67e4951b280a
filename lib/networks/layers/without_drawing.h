#pragma once

namespace vitrain::networks {

// While it lives, the functions of init.h that draw numbers leave weights of
// this thread as they are: for networks whose weights are all to be loaded,
// drawing is most of what making them takes.
class WithoutDrawing {
 public:
  WithoutDrawing();
  ~WithoutDrawing();
  WithoutDrawing(const WithoutDrawing&) = delete;
  WithoutDrawing& operator=(const WithoutDrawing&) = delete;

 private:
  bool before_;
};

} // namespace vitrain::networks
