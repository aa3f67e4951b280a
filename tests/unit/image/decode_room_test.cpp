#include "image/formats/decode_room.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "image/formats/decode.h"
#include "image/formats/decoder.h"
#include "image/formats/png_write.h"

namespace vitrain::image {
namespace {

using namespace std::chrono_literals;

TEST(DecodeRoom, HoldsNoMoreThanTheLimit) {
  constexpr std::int64_t kLimit = 100;
  std::mutex mutex;
  std::int64_t held = 0;
  std::int64_t most = 0;
  const auto work = [&](std::int64_t bytes) {
    for (int i = 0; i < 200; ++i) {
      const DecodeRoom room(bytes, kLimit);
      {
        const std::lock_guard lock(mutex);
        held += bytes;
        // Larger than the limit: alone.
        EXPECT_TRUE(held <= kLimit || held == bytes) << held;
        most = std::max(most, held);
      }
      std::this_thread::sleep_for(20us);
      const std::lock_guard lock(mutex);
      held -= bytes;
    }
  };
  {
    std::vector<std::jthread> threads;
    for (const std::int64_t bytes : {10, 20, 30, 60, 100, 250}) {
      threads.emplace_back(work, bytes);
    }
  }
  EXPECT_EQ(held, 0);
  EXPECT_EQ(most, 250);
}

// A stream of small requests does not starve a large one.
TEST(DecodeRoom, ComesInTheOrderOfAsking) {
  std::optional<DecodeRoom> small(std::in_place, 40, 100);
  std::atomic<int> turn = 0;
  int large_turn = 0;
  int late_turn = 0;
  std::jthread large([&] {
    const DecodeRoom room(90, 100);
    large_turn = ++turn;
  });
  std::this_thread::sleep_for(50ms);
  std::jthread late([&] {
    const DecodeRoom room(40, 100); // would fit next to the small one
    late_turn = ++turn;
  });
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(turn, 0);
  small.reset();
  large.join();
  late.join();
  EXPECT_LT(large_turn, late_turn);
}

Image grey_image(int width, int height) {
  Image image;
  image.width = width;
  image.height = height;
  image.pixels.assign(static_cast<std::size_t>(width) * height * 3, 77);
  return image;
}

std::span<const std::uint8_t> view_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(DecodeRoom, IsAskedForByTheHeader) {
  const std::string png = encode_png(grey_image(300, 200));
  EXPECT_EQ(decode_bytes(view_of(png)), 300 * 200 * 3);
  EXPECT_EQ(decode_bytes(view_of(png), {.max_pixels = 59999}), 0);
  EXPECT_EQ(decode_bytes(view_of("no image")), 0);
}

// An open image blocks images that do not fit into the rest of the room, until
// close().
TEST(DecodeRoom, IsHeldByAnOpenImage) {
  const std::string png = encode_png(grey_image(300, 200));
  const DecodeOptions options{.memory = 300'000};
  Decoder first(options);
  first.open(view_of(png));
  std::atomic<bool> opened = false;
  std::jthread other([&] {
    Decoder second(options);
    second.open(view_of(png));
    opened = true;
    EXPECT_EQ(second.decode({0, 0, 300, 200}).view.width, 300);
  });
  std::this_thread::sleep_for(100ms);
  EXPECT_FALSE(opened);
  EXPECT_EQ(first.decode({0, 0, 300, 200}).view.height, 200);
  first.close();
  other.join();
  EXPECT_TRUE(opened);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Decodes where the address space has room for one and a half images.
[[noreturn]] void decode_in_little_memory(const std::string& png) {
  mallopt(M_MMAP_THRESHOLD, 1 << 20); // images are given back when freed
  malloc_trim(0);
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  constexpr rlim_t kImage = 3 * 3000 * 3000;
  const rlim_t most =
      pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + kImage * 3 / 2;
  const rlimit limit{.rlim_cur = most, .rlim_max = most};
  ::setrlimit(RLIMIT_AS, &limit);
  try {
    Decoder decoder;
    // The second one takes the place of the first.
    for (int i = 0; i < 2; ++i) {
      decoder.open(view_of(png));
      if (decoder.decode({0, 0, 3000, 3000}).view.width != 3000) {
        std::_Exit(2);
      }
    }
  } catch (const std::bad_alloc&) {
    std::_Exit(1);
  }
  std::_Exit(0);
}

// An image of 13,300 x 13,300 pixels was copied once, which took 1.1 GB.
TEST(DecodeMemoryDeathTest, IsThatOfTheImage) {
  const std::string png = encode_png(grey_image(3000, 3000));
  EXPECT_EXIT(decode_in_little_memory(png), testing::ExitedWithCode(0), "");
}
#endif

} // namespace
} // namespace vitrain::image
