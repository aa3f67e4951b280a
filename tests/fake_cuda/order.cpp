// The order of work on streams, by vector clocks, and the memory that it uses.

#include "order.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "current.h"
#include "record.h"
#include "settings.h"

namespace vitrain::fake_cuda {
namespace {

// For each stream, the amount of its work that happened before; beyond the end:
// none.
using Clock = std::vector<std::uint64_t>;

std::uint64_t at(const Clock& clock, std::size_t stream) {
  return stream < clock.size() ? clock[stream] : 0;
}

void merge(Clock& clock, const Clock& other) {
  clock.resize(std::max(clock.size(), other.size()));
  for (std::size_t i = 0; i < other.size(); ++i) {
    clock[i] = std::max(clock[i], other[i]);
  }
}

// When a stream last used a piece of memory, by its own clock; 0: never.
struct Last {
  std::uint64_t read = 0;
  std::uint64_t write = 0;
  const char* what = ""; // did so
};

using Piece = std::pair<const char*, std::size_t>; // begin, bytes

struct Stream {
  Clock clock;
  std::map<Piece, Last> used;
  std::size_t largest = 0; // bytes of a piece
};

struct Order {
  std::mutex mutex;
  // The default stream is another one on each device.
  std::map<std::pair<cudaStream_t, int>, std::size_t> numbers;
  std::vector<Stream> streams;
  std::map<cudaEvent_t, Clock> events;
  Clock host; // work that the host knows to be complete
};

Order& order() {
  static auto* const made = new Order;
  return *made;
}

// The caller holds the mutex; so below.
std::size_t number_of(cudaStream_t stream) {
  const auto [item, is_new] = order().numbers.emplace(
      std::pair(stream, stream == nullptr ? current_device() : 0),
      order().streams.size());
  if (is_new) {
    order().streams.emplace_back();
  }
  return item->second;
}

// Returns the work of the stream after `known` that conflicts with this use of
// the memory; null if there is none.
const char* met_by(
    const Stream& other,
    std::uint64_t known,
    const char* begin,
    const Use& use) {
  const char* const end = begin + use.bytes;
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const auto* const from = reinterpret_cast<const char*>(
      address - std::min<std::uintptr_t>(address, other.largest));
  for (auto item = other.used.lower_bound({from, 0});
       item != other.used.end() && item->first.first < end;
       ++item) {
    const auto& [piece, last] = *item;
    const std::uint64_t later =
        use.writes ? std::max(last.read, last.write) : last.write;
    if (piece.first + piece.second > begin && later > known) {
      return last.what;
    }
  }
  return nullptr;
}

// Work that the host knows to be complete cannot conflict any more.
void tidy() {
  for (std::size_t i = 0; i < order().streams.size(); ++i) {
    const std::uint64_t known = at(order().host, i);
    std::erase_if(order().streams[i].used, [&](const auto& item) {
      return std::max(item.second.read, item.second.write) <= known;
    });
  }
}

} // namespace

void use_in_order(cudaStream_t stream, const Use& use, const char* what) {
  if (use.bytes == 0 || !settings().order) {
    return;
  }
  const auto* const begin = static_cast<const char*>(use.memory);
  const std::scoped_lock lock(order().mutex);
  const std::size_t number = number_of(stream);
  Stream& own = order().streams[number];
  merge(own.clock, order().host);
  own.clock.resize(std::max(own.clock.size(), number + 1));
  for (std::size_t i = 0; i < order().streams.size(); ++i) {
    const char* const other = i == number
        ? nullptr
        : met_by(order().streams[i], at(own.clock, i), begin, use);
    if (other != nullptr) {
      violation(
          std::string(what) + " uses memory that " + other +
          " on another stream uses, without an event or a wait between");
      break;
    }
  }
  const std::uint64_t now = ++own.clock[number];
  Last& last = own.used[{begin, use.bytes}];
  (use.writes ? last.write : last.read) = now;
  last.what = what;
  own.largest = std::max(own.largest, use.bytes);
}

void record_order(cudaEvent_t event, cudaStream_t stream) {
  const std::scoped_lock lock(order().mutex);
  order().events[event] = order().streams[number_of(stream)].clock;
}

void order_after(cudaStream_t stream, cudaEvent_t event) {
  const std::scoped_lock lock(order().mutex);
  const std::size_t number = number_of(stream);
  merge(order().streams[number].clock, order().events[event]);
}

void forget_event(cudaEvent_t event) {
  const std::scoped_lock lock(order().mutex);
  order().events.erase(event);
}

void know_stream(cudaStream_t stream) {
  const std::scoped_lock lock(order().mutex);
  merge(order().host, order().streams[number_of(stream)].clock);
  tidy();
}

void know_event(cudaEvent_t event) {
  const std::scoped_lock lock(order().mutex);
  merge(order().host, order().events[event]);
}

void know_everything() {
  const std::scoped_lock lock(order().mutex);
  for (const Stream& stream : order().streams) {
    merge(order().host, stream.clock);
  }
  tidy();
}

void forget_memory(const void* memory, std::size_t bytes) {
  const auto* const begin = static_cast<const char*>(memory);
  const std::scoped_lock lock(order().mutex);
  for (Stream& stream : order().streams) {
    std::erase_if(stream.used, [&](const auto& item) {
      return item.first.first >= begin && item.first.first < begin + bytes;
    });
  }
}

} // namespace vitrain::fake_cuda
