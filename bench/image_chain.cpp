// Measures the way of a training image from the bytes of its file to its pixels
// in the batch, on one core: decode, random resized crop, bicubic, flip.
//
// usage: image_chain files|packed TAR CROPS [PIXELS]
//   files   the original files; packed: packed by image::pack_jpeg first
//   TAR     a tar of JPEG files, read into memory first
//   CROPS   output file: `left,top,width,height,mirrored` of every image
//   PIXELS  output file: [images, 224, 224, 3] bytes, for comparison
// Prints the number of images, the seconds of process time that they took, and
// the bytes of their files.
//
// Used by bench/compare_loader.sh, whose peers use the same crops.

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "data/kinds/tar_reader.h"
#include "data/load/pipeline.h"
#include "image/formats/decoder.h"
#include "image/jpeg/packed_jpeg.h"

namespace {

using Bytes = std::span<const std::uint8_t>;

double process_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
      1e-9 * static_cast<double>(now.tv_nsec);
}

// Returns the files of a tar archive in memory, in its order.
std::vector<Bytes> members(const std::string& name, const std::string& tar) {
  const auto read = [&](std::int64_t offset, std::span<char> into) {
    const std::size_t from =
        std::min(static_cast<std::size_t>(offset), tar.size());
    return tar.copy(into.data(), into.size(), from);
  };
  vitrain::data::TarReader reader(name, read, 0, std::ssize(tar));
  std::vector<Bytes> files;
  vitrain::data::TarMember member;
  while (reader.next(member)) {
    files.emplace_back(
        reinterpret_cast<const std::uint8_t*>(tar.data()) + member.offset,
        static_cast<std::size_t>(member.size));
  }
  return files;
}

} // namespace

int main(int argc, char** argv) {
  using namespace vitrain;
  if (argc < 4) {
    std::fprintf(
        stderr, "usage: image_chain files|packed TAR CROPS [PIXELS]\n");
    return 2;
  }
  std::ifstream file(argv[2], std::ios::binary);
  const std::string tar{std::istreambuf_iterator<char>(file), {}};
  std::vector<Bytes> images = members(argv[2], tar);
  const data::Transform transform({.size = 224, .train = true, .seed = 1});
  std::ofstream crops(argv[3]);
  for (std::size_t i = 0; i < images.size(); ++i) {
    const image::ImageHeader header = image::read_header(images[i]);
    const image::CropPlan plan = transform.plan(
        header.width, header.height, {.sample = static_cast<std::int64_t>(i)});
    crops << plan.from.left << ',' << plan.from.top << ',' << plan.from.width
          << ',' << plan.from.height << ',' << plan.mirrored << '\n';
  }
  std::vector<std::string> packed(images.size());
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (std::string_view(argv[1]) == "packed") {
      if (auto one = image::pack_jpeg(images[i])) {
        packed[i] = std::move(*one);
        images[i] = {
            reinterpret_cast<const std::uint8_t*>(packed[i].data()),
            packed[i].size()};
      }
    }
    bytes += images[i].size();
  }
  std::vector<std::uint8_t> pixels(transform.bytes() * images.size());
  image::Decoder decoder;
  data::Transform::Scratch scratch;
  const double start = process_seconds();
  for (std::size_t i = 0; i < images.size(); ++i) {
    const data::Draw draw{.sample = static_cast<std::int64_t>(i)};
    decoder.open(images[i]);
    const image::CropPlan plan =
        transform.plan(decoder.width(), decoder.height(), draw);
    const image::Decoder::Part part = decoder.decode(plan.source());
    transform.apply(
        plan,
        part,
        draw,
        {pixels.data() + i * transform.bytes(), transform.bytes()},
        scratch);
  }
  const double seconds = process_seconds() - start;
  std::printf("%zu %.6f %zu\n", images.size(), seconds, bytes);
  if (argc > 4) {
    std::ofstream out(argv[4], std::ios::binary);
    out.write(
        reinterpret_cast<const char*>(pixels.data()),
        static_cast<std::streamsize>(pixels.size()));
  }
  return 0;
}
