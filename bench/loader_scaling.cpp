// Measures how fast the loader prepares training batches with 1, 2, 4, ...
// threads, and its memory. usage: loader_scaling FOLDER [SECONDS [THREADS]]

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/system/clock.h"
#include "data/kinds/datasets.h"
#include "data/load/loader.h"
#include "data/load/pipeline.h"
#include "data/load/rows.h"

namespace {

using namespace vitrain;

constexpr std::int64_t kBatch = 128;
constexpr int kSize = 224;

struct Run {
  double images_per_second = 0;
  double cpu_seconds_per_image = 0;
  double resident_mib = 0;
  double ring_mib = 0;
};

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) +
        1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double resident_mib() {
  std::int64_t total = 0;
  std::int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return static_cast<double>(resident) * 4096 / (1 << 20);
}

// Measures the loader over repeated epochs in the dataset's order; each epoch
// has other crops.
Run measure(const data::Rows& rows, int threads, double seconds) {
  const std::int64_t samples = rows.index().size();
  constexpr int kDepth = 3;
  data::Loader loader(
      rows,
      [&](std::int64_t sequence, std::vector<data::Draw>& draws) {
        for (std::int64_t i = 0; i < kBatch; ++i) {
          const std::int64_t place = sequence * kBatch + i;
          draws.push_back({place / samples, place % samples});
        }
        return true;
      },
      {.threads = threads, .depth = kDepth, .capacity = kBatch});
  loader.next(); // warms up: threads have started, files are cached
  const Stopwatch watch;
  const double cpu = cpu_seconds();
  std::int64_t images = 0;
  while (watch.seconds() < seconds) {
    images += loader.next()->count;
  }
  const auto count = static_cast<double>(images);
  return {
      .images_per_second = count / watch.seconds(),
      .cpu_seconds_per_image = (cpu_seconds() - cpu) / count,
      .resident_mib = resident_mib(),
      .ring_mib =
          static_cast<double>(
              (kDepth + 1) * kBatch * static_cast<std::int64_t>(rows.bytes())) /
          (1 << 20)};
}

// Returns 1, 2, 4, ... and `most`.
std::vector<int> thread_counts(int most) {
  std::vector<int> counts;
  for (int threads = 1; threads < most; threads *= 2) {
    counts.push_back(threads);
  }
  counts.push_back(most);
  return counts;
}

} // namespace

int main(int argc, char** argv) {
  try {
    data::SourceOptions source;
    source.path = argc > 1 ? argv[1] : "";
    const double seconds = argc > 2 ? std::atof(argv[2]) : 10.0;
    const int most = argc > 3
        ? std::atoi(argv[3])
        : static_cast<int>(std::thread::hardware_concurrency());
    data::TransformOptions transform;
    transform.size = kSize;
    transform.train = true;
    const auto rows = data::open_rows(
        std::make_shared<const data::Index>(data::list(source)), transform);
    std::printf("threads  images/s  ms/image (CPU)  resident MiB  ring MiB\n");
    double one = 0;
    double ratio = 1;
    for (const int threads : thread_counts(most)) {
      const Run run = measure(*rows, threads, seconds);
      one = threads == 1 ? run.images_per_second : one;
      ratio = run.images_per_second / (threads * one);
      std::printf(
          "%7d  %8.0f  %14.3f  %12.0f  %8.0f\n",
          threads,
          run.images_per_second,
          1e3 * run.cpu_seconds_per_image,
          run.resident_mib,
          run.ring_mib);
    }
    std::printf("ratio %.3f\n", ratio); // relative to linear scaling
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
