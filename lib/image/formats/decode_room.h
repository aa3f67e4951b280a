#pragma once

#include <cstdint>

namespace vitrain::image {

// A share of the memory that the threads of a process may use at once for
// decoding. Who asks for one waits, in the order of asking, until it fits
// beside those that others hold; one larger than the limit, until nobody holds
// any. A thread that holds one does not ask for another.
class DecodeRoom {
 public:
  DecodeRoom() = default; // nothing
  // `bytes` of `limit`; both at least 0.
  DecodeRoom(std::int64_t bytes, std::int64_t limit);
  ~DecodeRoom() { give_back(); }
  DecodeRoom(DecodeRoom&& other) noexcept;
  DecodeRoom& operator=(DecodeRoom&& other) noexcept;

  void give_back();

 private:
  std::int64_t bytes_ = 0;
};

} // namespace vitrain::image
