#include "image/formats/decode_room.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace vitrain::image {
namespace {

// Decoding memory held by all threads of this process; a single instance.
struct Room {
  std::mutex mutex;
  std::condition_variable changed;
  std::int64_t held = 0;
  std::uint64_t asked = 0; // number of the last request
  std::uint64_t served = 0; // number of the request to serve next
};

Room& room() {
  static Room all;
  return all;
}

} // namespace

DecodeRoom::DecodeRoom(std::int64_t bytes, std::int64_t limit) {
  if (bytes == 0) {
    return;
  }
  Room& all = room();
  std::unique_lock lock(all.mutex);
  const std::uint64_t turn = all.asked++;
  all.changed.wait(lock, [&] {
    return turn == all.served && (all.held == 0 || all.held + bytes <= limit);
  });
  all.held += bytes;
  ++all.served;
  bytes_ = bytes;
  lock.unlock();
  all.changed.notify_all();
}

DecodeRoom::DecodeRoom(DecodeRoom&& other) noexcept
    : bytes_(std::exchange(other.bytes_, 0)) {}

DecodeRoom& DecodeRoom::operator=(DecodeRoom&& other) noexcept {
  if (this != &other) {
    give_back();
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

void DecodeRoom::give_back() {
  if (bytes_ == 0) {
    return;
  }
  Room& all = room();
  {
    const std::lock_guard lock(all.mutex);
    all.held -= std::exchange(bytes_, 0);
  }
  all.changed.notify_all();
}

} // namespace vitrain::image
