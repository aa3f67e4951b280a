#include "data/load/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/random.h"
#include "core/system/clock.h"
#include "data/load/image_rows.h"
#include "image/formats/png_write.h"
#include "support/messages.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

// Images of one colour, the sample's index; chosen samples fail or take long.
class FakeSource : public Source {
 public:
  explicit FakeSource(std::int64_t count) : Source(shapes_index(count)) {}

  image::Image load(std::int64_t sample) const override {
    ++loads;
    if (uneven) {
      Random random(0, Purpose::kInit, 0, static_cast<std::uint64_t>(sample));
      std::this_thread::sleep_for(std::chrono::microseconds(random.below(300)));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    if (sample >= first_bad) {
      // The later ones fail sooner, to tempt the loader.
      std::this_thread::sleep_for(
          std::chrono::milliseconds(first_bad + 5 - sample));
      throw Error(ExitCode::kData, describe(sample) + ": is bad");
    }
    if (sample == out_of_memory) {
      throw std::bad_alloc();
    }
    sigset_t blocked;
    pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    signals_blocked = sigismember(&blocked, SIGTERM) == 1 &&
        sigismember(&blocked, SIGUSR1) == 1;
    image::Image image;
    image.width = 4;
    image.height = 4;
    image.pixels.assign(48, static_cast<std::uint8_t>(sample + 1));
    image.warnings = sample == 3 ? 2 : 0;
    image.clipped = sample % 10 == 7 || sample == 38;
    return image;
  }
  std::string describe(std::int64_t sample) const override {
    return "image " + std::to_string(sample);
  }

  mutable std::atomic<int> loads = 0;
  mutable std::atomic<bool> signals_blocked = false;
  bool uneven = false;
  int milliseconds = 0;
  std::int64_t first_bad = 1 << 20;
  std::int64_t out_of_memory = -1;
};

// Rows of a source that outlives them.
ImageRows rows_of(const Source& source) {
  TransformOptions options;
  options.size = 4;
  options.crop_pct = 1.0;
  return {{std::shared_ptr<const void>(), &source}, options};
}

// Batches of `size` consecutive samples, `count` in total.
BatchPlan consecutive(std::int64_t count, std::int64_t size) {
  return [=](std::int64_t sequence, std::vector<Draw>& draws) {
    for (std::int64_t i = sequence * size;
         i < std::min(count, (sequence + 1) * size);
         ++i) {
      draws.push_back({sequence / 3, i});
    }
    return sequence * size < count;
  };
}

LoaderOptions options(int threads, std::int64_t capacity, int depth = 2) {
  LoaderOptions options;
  options.threads = threads;
  options.capacity = capacity;
  options.depth = depth;
  return options;
}

class LoaderOnThreads : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, LoaderOnThreads, testing::Values(0, 1, 2, 5));

TEST_P(LoaderOnThreads, KeepsTheOrderOfThePlan) {
  FakeSource source(103);
  source.uneven = true;
  const ImageRows rows = rows_of(source);
  for (const int depth : {1, 4}) {
    Loader loader(rows, consecutive(103, 10), options(GetParam(), 10, depth));
    std::int64_t sample = 0;
    for (std::int64_t sequence = 0; sequence < 11; ++sequence) {
      const Batch* batch = loader.next();
      ASSERT_NE(batch, nullptr);
      EXPECT_EQ(batch->sequence, sequence);
      ASSERT_EQ(batch->count, sequence < 10 ? 10 : 3);
      ASSERT_EQ(batch->rows.size(), 10u * 48);
      const bool clipped = sequence < 10;
      EXPECT_EQ(batch->clipped, clipped ? (sequence == 3 ? 2 : 1) : 0);
      EXPECT_EQ(batch->clipped_sample, clipped ? 10 * sequence + 7 : -1);
      for (std::int64_t row = 0; row < 10; ++row) {
        const auto i = static_cast<std::size_t>(row);
        const bool used = row < batch->count;
        if (used) {
          EXPECT_EQ(batch->draws[i], (Draw{sequence / 3, sample}));
          EXPECT_EQ(batch->labels[i], sample % 10);
        }
        const auto pixels = batch->rows.subspan(i * 48, 48);
        EXPECT_THAT(
            std::vector<int>(pixels.begin(), pixels.end()),
            testing::Each(used ? static_cast<int>(sample + 1) : 0));
        sample += used ? 1 : 0;
      }
    }
    EXPECT_EQ(loader.next(), nullptr);
    EXPECT_EQ(loader.next(), nullptr);
    EXPECT_EQ(loader.image_warnings(), 2);
  }
}

TEST_P(LoaderOnThreads, HandsOutEmptyAndShortBatches) {
  const FakeSource source(100);
  const ImageRows rows = rows_of(source);
  const std::vector<std::vector<std::int64_t>> wanted = {
      {}, {1, 2, 3}, {}, {}, {4}, {5, 6, 7}, {}};
  Loader loader(
      rows,
      [&](std::int64_t sequence, std::vector<Draw>& draws) {
        if (sequence >= 700) {
          return false;
        }
        for (const std::int64_t i :
             wanted[static_cast<std::size_t>(sequence) % 7]) {
          draws.push_back({.sample = i});
        }
        return true;
      },
      options(GetParam(), 3));
  for (std::size_t sequence = 0; sequence < 700; ++sequence) {
    const Batch* batch = loader.next();
    ASSERT_NE(batch, nullptr);
    const auto& samples = wanted[sequence % 7];
    ASSERT_EQ(batch->count, static_cast<std::int64_t>(samples.size()));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(
          batch->rows[i * 48],
          i < samples.size() ? static_cast<int>(samples[i] + 1) : 0);
    }
  }
  EXPECT_EQ(loader.next(), nullptr);
}

TEST_P(LoaderOnThreads, ReportsTheFirstBadSampleInOrder) {
  FakeSource source(100);
  source.first_bad = 23;
  const ImageRows rows = rows_of(source);
  Loader loader(rows, consecutive(40, 10), options(GetParam(), 10));
  EXPECT_NE(loader.next(), nullptr);
  EXPECT_NE(loader.next(), nullptr);
  expect_message(data_error([&] { loader.next(); }), {"23"});
  expect_message(data_error([&] { loader.next(); }), {"23"});
}

TEST_P(LoaderOnThreads, KeepsTheKindOfOtherFailures) {
  FakeSource source(100);
  source.out_of_memory = 4;
  const ImageRows rows = rows_of(source);
  Loader loader(rows, consecutive(40, 10), options(GetParam(), 10));
  expect_message(
      error_of(ExitCode::kOutOfMemory, [&] { loader.next(); }), {"4"});
}

TEST_P(LoaderOnThreads, GivesTheSamePixelsOnAnyNumberOfThreads) {
  SourceOptions source_options;
  source_options.kind = SourceKind::kShapes;
  source_options.count = 60;
  source_options.size = 20;
  TransformOptions transform_options;
  transform_options.size = 16;
  transform_options.train = true;
  // Threads keep scratch memory from image to image: it must not show.
  transform_options.augment.policy.emplace();
  transform_options.augment.policy->kind = PolicyKind::kMix;
  transform_options.augment.policy->deviation = 1.0;
  transform_options.augment.jitter = {0.4, 0.4, 0.4, 0.1};
  transform_options.augment.blur = 0.5;
  const auto rows = open_rows(
      std::make_shared<Index>(list(source_options)), transform_options);
  const auto load = [&](int threads) {
    Loader loader(*rows, consecutive(60, 7), options(threads, 7));
    std::vector<std::uint8_t> all;
    while (const Batch* batch = loader.next()) {
      all.insert(all.end(), batch->rows.begin(), batch->rows.end());
    }
    return all;
  };
  EXPECT_EQ(load(GetParam()), load(0));
}

// Five batches of 100 images of 20 ms are planned: over three seconds of work.
TEST(Loader, StopsWithoutFinishingWhatIsPlanned) {
  FakeSource source(1000);
  source.milliseconds = 20;
  const ImageRows rows = rows_of(source);
  auto loader = std::make_unique<Loader>(
      rows, consecutive(1000, 100), options(3, 100, 4));
  while (source.loads == 0) {
    std::this_thread::yield();
  }
  const Stopwatch stopping;
  loader.reset();
  EXPECT_LT(stopping.seconds(), 1.0);
  EXPECT_LT(source.loads, 200);
}

TEST(Loader, ThreadsReceiveNoSignals) {
  const FakeSource source(10);
  const ImageRows rows = rows_of(source);
  Loader loader(rows, consecutive(10, 5), options(2, 5));
  EXPECT_NE(loader.next(), nullptr);
  EXPECT_TRUE(source.signals_blocked);
  // This thread's own mask is as before.
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 0);
}

TEST(Loader, SurvivesAPlanThatThrows) {
  const FakeSource source(100);
  const ImageRows rows = rows_of(source);
  const auto plan = [](std::int64_t sequence,
                       std::vector<Draw>& draws) -> bool {
    if (sequence == 4) {
      throw Error(ExitCode::kData, "no plan");
    }
    draws = {{.sample = 1}, {.sample = 2}};
    return true;
  };
  EXPECT_EQ(
      data_error([&] { Loader(rows, plan, options(2, 2, 8)); }), "no plan");
  Loader loader(rows, plan, options(2, 2, 1));
  EXPECT_NE(loader.next(), nullptr);
  EXPECT_NE(loader.next(), nullptr);
  EXPECT_EQ(
      data_error([&] {
        loader.next();
        loader.next();
      }),
      "no plan");
}

TEST(Loader, RefusesBatchesOverItsCapacity) {
  const FakeSource source(100);
  const ImageRows rows = rows_of(source);
  EXPECT_THROW(Loader(rows, consecutive(100, 11), options(1, 10)), Error);
}

std::int64_t resident_pages() {
  std::int64_t total = 0;
  std::int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident;
}

std::int64_t entries(const char* folder) {
  return std::distance(
      std::filesystem::directory_iterator(folder),
      std::filesystem::directory_iterator());
}

TEST(Loader, UsesNoMoreMemoryThreadsOrFilesOverTime) {
  const FakeSource source(100);
  const ImageRows rows = rows_of(source);
  const auto plan = [](std::int64_t sequence, std::vector<Draw>& draws) {
    draws.assign(static_cast<std::size_t>(sequence % 50), {.sample = 1});
    return true;
  };
  Loader loader(rows, plan, options(2, 50));
  const auto run = [&](int batches) {
    for (int i = 0; i < batches; ++i) {
      ASSERT_NE(loader.next(), nullptr);
    }
  };
  run(5000); // until the allocator has its arenas
  const auto threads = entries("/proc/self/task");
  const auto files = entries("/proc/self/fd");
  const auto pages = resident_pages();
  run(20000);
  // Sanitizers keep freed memory for a while, which looks like growth.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LE(resident_pages(), pages + pages / 50);
#else
  EXPECT_GT(pages, 0);
#endif
  EXPECT_EQ(entries("/proc/self/task"), threads);
  EXPECT_EQ(entries("/proc/self/fd"), files);
}

TEST(Loader, TakesMemoryFromWhereItIsTold) {
  const FakeSource source(10);
  const ImageRows rows = rows_of(source);
  LoaderOptions wanted = options(1, 5, 2);
  wanted.tail = 10;
  std::size_t allocated = 0;
  std::weak_ptr<std::uint8_t[]> memory;
  wanted.allocate = [&](std::size_t bytes) {
    allocated = bytes;
    const SlotMemory made(new std::uint8_t[bytes]);
    std::fill_n(made.get(), bytes, std::uint8_t{99}); // is cleared
    memory = made;
    return made;
  };
  {
    Loader loader(rows, consecutive(3, 5), wanted);
    const Batch* batch = loader.next();
    EXPECT_EQ(batch->rows.size(), 240U);
    EXPECT_EQ(allocated, 3U * (256 + 64)); // in steps of 64
    EXPECT_EQ(batch->tail.data(), batch->rows.data() + 256);
    EXPECT_EQ(batch->tail.size(), 10U);
    EXPECT_EQ(batch->rows.data(), memory.lock().get());
    EXPECT_EQ(batch->rows[2 * 48], 3);
    EXPECT_EQ(batch->rows[3 * 48], 0);
  }
  EXPECT_TRUE(memory.expired());
}

// By a device, say, that is still copying it.
TEST_P(LoaderOnThreads, KeepsABatchAsLongAsItIsNeeded) {
  const FakeSource source(80);
  const ImageRows rows = rows_of(source);
  int waits = 0;
  Loader loader(rows, consecutive(80, 5), options(GetParam(), 5));
  for (int i = 0; i < 8; ++i) {
    const Batch* batch = loader.next();
    const std::uint8_t* pixels = batch->rows.data();
    EXPECT_EQ(waits, i) << "once for each, before its memory is used again";
    loader.keep([&waits, pixels, value = *pixels] {
      EXPECT_EQ(*pixels, value);
      ++waits;
    });
  }
}

TEST(Loader, CountsTheTimeThatItMakesItsOwnerWait) {
  FakeSource source(100);
  source.uneven = true;
  const ImageRows rows = rows_of(source);
  Loader loader(rows, consecutive(100, 50), options(0, 50));
  EXPECT_EQ(loader.wait_seconds(), 0);
  loader.next();
  const double first = loader.wait_seconds();
  EXPECT_GT(first, 50 * 50e-6);
  loader.next();
  EXPECT_GT(loader.wait_seconds(), first);
}

// PNG files of many sizes, one of them cut off: the memory limit for decoding
// changes neither pixels nor replacements, and no thread waits for ever.
TEST(Loader, DecodesWithinAnyBudget) {
  const TempFolder folder;
  for (int i = 0; i < 24; ++i) {
    image::Image image;
    image.width = 20 + 13 * i;
    image.height = 90 - 3 * i;
    image.pixels.assign(
        static_cast<std::size_t>(image.width * image.height * 3),
        static_cast<std::uint8_t>(10 * i));
    const std::string png = image::encode_png(image);
    folder.write(
        (i < 12 ? "a/" : "b/") + std::to_string(i) + ".png",
        i == 7 ? png.substr(0, png.size() / 2) : png);
  }
  SourceOptions source;
  source.path = folder.path();
  const auto index = std::make_shared<Index>(list(source));
  std::vector<std::vector<std::uint8_t>> seen;
  for (const std::int64_t memory : {1 << 30, 1, 30'000}) {
    TransformOptions transform;
    transform.decode.memory = memory;
    transform.size = 16;
    const auto rows = open_rows(index, transform);
    LoaderOptions wanted = options(/*threads=*/6, /*capacity=*/8);
    wanted.bad_samples.replace = true;
    Loader loader(*rows, consecutive(24, 8), wanted);
    std::vector<std::uint8_t> all;
    std::size_t bad = 0;
    while (const Batch* batch = loader.next()) {
      all.insert(all.end(), batch->rows.begin(), batch->rows.end());
      bad += batch->bad.size();
    }
    EXPECT_EQ(bad, 1u) << memory;
    seen.push_back(std::move(all));
  }
  EXPECT_EQ(seen[0].size(), 24u * 16 * 16 * 3);
  EXPECT_EQ(seen[1], seen[0]);
  EXPECT_EQ(seen[2], seen[0]);
  // Images beyond data.max_pixels are bad samples.
  TransformOptions small;
  small.decode.max_pixels = 5000;
  const auto rows = open_rows(index, small);
  Loader loader(*rows, consecutive(24, 8), options(2, 8));
  expect_message(
      data_error([&] {
        while (loader.next() != nullptr) {
        }
      }),
      {"5000"});
}

} // namespace
} // namespace vitrain::data
