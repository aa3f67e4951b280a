// The way of a training image from the bytes of its file to the pixels of its
// row in the batch, on one core: decode, random resized crop, bicubic, flip.
//
// usage: image_chain TAR CROPS [PIXELS]
//   TAR     a plain tar of JPEG files, read into memory first
//   CROPS   written: `left,top,width,height,mirrored` of every image
//   PIXELS  written: [images, 224, 224, 3] bytes, to be compared
// Prints the images and the seconds of process time that they took.
//
// For bench/compare_loader.sh; its peers cut the same crops.

#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "data/pipeline.h"
#include "image/decoder.h"

namespace {

using Bytes = std::span<const std::uint8_t>;

double process_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
      1e-9 * static_cast<double>(now.tv_nsec);
}

// The regular files of a ustar archive, in its order.
std::vector<Bytes> members(const std::string& tar) {
  std::vector<Bytes> files;
  for (std::size_t at = 0; at + 512 <= tar.size() && tar[at] != '\0';) {
    const std::size_t size = std::stoul(tar.substr(at + 124, 11), nullptr, 8);
    const char type = tar[at + 156];
    if (type == '0' || type == '\0') {
      files.emplace_back(
          reinterpret_cast<const std::uint8_t*>(tar.data()) + at + 512, size);
    }
    at += 512 + (size + 511) / 512 * 512;
  }
  return files;
}

} // namespace

int main(int argc, char** argv) {
  using namespace vitrain;
  if (argc < 3) {
    std::fprintf(stderr, "usage: image_chain TAR CROPS [PIXELS]\n");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  const std::string tar{std::istreambuf_iterator<char>(file), {}};
  const std::vector<Bytes> images = members(tar);
  const data::Transform transform({.size = 224, .train = true, .seed = 1});
  std::ofstream crops(argv[2]);
  for (std::size_t i = 0; i < images.size(); ++i) {
    const image::Header header = image::read_header(images[i]);
    const image::CropPlan plan = transform.plan(
        header.width, header.height, 0, static_cast<std::int64_t>(i));
    crops << plan.from.left << ',' << plan.from.top << ',' << plan.from.width
          << ',' << plan.from.height << ',' << plan.mirrored << '\n';
  }
  std::vector<std::uint8_t> pixels(transform.bytes() * images.size());
  image::Decoder decoder;
  data::Transform::Scratch scratch;
  const double start = process_seconds();
  for (std::size_t i = 0; i < images.size(); ++i) {
    const auto sample = static_cast<std::int64_t>(i);
    decoder.open(images[i]);
    const image::CropPlan plan =
        transform.plan(decoder.width(), decoder.height(), 0, sample);
    const image::Decoder::Part part = decoder.decode(plan.source());
    transform.apply(
        plan,
        part.view,
        part.left,
        part.top,
        0,
        sample,
        {pixels.data() + i * transform.bytes(), transform.bytes()},
        scratch);
  }
  const double seconds = process_seconds() - start;
  std::printf("%zu %.6f\n", images.size(), seconds);
  if (argc > 3) {
    std::ofstream out(argv[3], std::ios::binary);
    out.write(
        reinterpret_cast<const char*>(pixels.data()),
        static_cast<std::streamsize>(pixels.size()));
  }
  return 0;
}
