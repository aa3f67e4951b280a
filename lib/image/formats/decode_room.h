#pragma once

#include <cstdint>

namespace vitrain::image {

// A share of the memory for decoding of all threads of a process. Requests
// wait, in order, until they fit into the remaining memory; a request above the
// limit waits until no share is held. A thread that holds a share must not
// request another.
class DecodeRoom {
 public:
  DecodeRoom() = default; // an empty share
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
