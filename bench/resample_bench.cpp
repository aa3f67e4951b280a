// Measures the microseconds per image to resize a crop to 224 x 224:
//
//   build/release/bench/resample_bench
//
// Names contain instruction set, filter, side of the crop, and whether filter
// weights are reused from the previous image (cached) or computed anew (new, as
// for random crops).
#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <vector>

#include "image/operations/resample.h"

namespace vitrain::image {
namespace {

constexpr int kSize = 224;
constexpr std::array
    kFilters{"nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"};
constexpr std::array kSimds{"scalar", "avx2", "avx512"};

Image noise(int width, int height) {
  Image image;
  image.width = width;
  image.height = height;
  image.pixels.resize(static_cast<std::size_t>(width) * height * 3);
  std::uint32_t state = 1;
  for (std::uint8_t& value : image.pixels) {
    state = state * 1664525 + 1013904223;
    value = static_cast<std::uint8_t>(state >> 24);
  }
  return image;
}

void resample(
    benchmark::State& state,
    Simd simd,
    Filter filter,
    int side,
    bool cached) {
  // More sizes than a Resampler caches.
  constexpr int kSides = 64;
  const Image image = noise(side + kSides, side + kSides);
  std::vector<std::uint8_t> out(std::size_t{kSize} * kSize * 3);
  Resampler resampler(simd);
  int more = 0;
  for (auto _ : state) {
    if (!cached) {
      more = (more + 1) % kSides;
    }
    const int width = side - kSides / 2 + more;
    const int height = side + kSides / 2 - more;
    const View view = View(image).crop({0, 0, width, height});
    resampler.resize(
        {.source_width = width,
         .source_height = height,
         .width = kSize,
         .height = kSize,
         .filter = filter,
         .window = {0, 0, kSize, kSize}},
        {view},
        out.data(),
        std::size_t{kSize} * 3);
    benchmark::ClobberMemory();
  }
}

int add_all() {
  for (int simd = static_cast<int>(best_simd()); simd >= 0; --simd) {
    for (const Filter filter :
         {Filter::kBilinear, Filter::kBicubic, Filter::kLanczos}) {
      for (const int side : {150, 306, 450}) {
        for (const bool cached : {true, false}) {
          const std::string name =
              std::string(kSimds.at(static_cast<std::size_t>(simd))) + "/" +
              kFilters.at(static_cast<std::size_t>(filter)) + "/" +
              std::to_string(side) + (cached ? "/cached" : "/new");
          benchmark::RegisterBenchmark(
              name.c_str(),
              resample,
              static_cast<Simd>(simd),
              filter,
              side,
              cached)
              ->Unit(benchmark::kMicrosecond);
        }
      }
    }
  }
  return 0;
}

const int kAdded = add_all();

} // namespace
} // namespace vitrain::image
