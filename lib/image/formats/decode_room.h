#pragma once

#include <cstdint>

namespace vitrain::image {

// A reservation of decoding memory, which all threads of a process share.
// Requests wait in order until they fit into the remaining memory; a request
// above the limit waits until there is no other reservation. A thread that
// holds a reservation must not request another.
class DecodeRoom {
 public:
  DecodeRoom() = default; // reserves nothing
  // Waits until `bytes` of `limit` are available, and reserves them; both are
  // at least 0. Does not wait if `bytes` is 0.
  DecodeRoom(std::int64_t bytes, std::int64_t limit);
  ~DecodeRoom() { give_back(); }
  DecodeRoom(DecodeRoom&& other) noexcept;
  DecodeRoom& operator=(DecodeRoom&& other) noexcept;

  void give_back();

 private:
  std::int64_t bytes_ = 0;
};

} // namespace vitrain::image
