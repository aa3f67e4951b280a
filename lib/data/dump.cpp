#include "data/dump.h"

#include <array>
#include <cstring>
#include <vector>

#include "core/check.h"
#include "core/text.h"
#include "data/kinds/kinds.h"
#include "image/formats/decode.h"
#include "image/operations/crop_math.h"
#include "image/operations/resample.h"
#include "options/channels.h"

namespace vitrain::data {
namespace {

// Returns a header in version 1.0 of the format documented in numpy.lib.format.
std::string npy_header(const std::array<std::int64_t, 4>& shape) {
  std::string text = fmt::format(
      "{{'descr': '|u1', 'fortran_order': False, 'shape': ({}, {}, {}, {}), }}",
      shape[0],
      shape[1],
      shape[2],
      shape[3]);
  // Bytes of magic number, version and length.
  constexpr std::size_t kBefore = 10;
  constexpr std::size_t kAlignment = 64;
  while ((kBefore + text.size() + 1) % kAlignment != 0) {
    text += ' ';
  }
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

// Returns the image after torchvision's Resize(to). Throws Error(kData) if it
// would exceed the limit of pixels.
image::Image resized(
    const image::Image& image,
    int to,
    Filter filter,
    image::Pillow pillow) {
  const image::Size size =
      image::shorter_side_to(to, image.width, image.height);
  const std::int64_t most = image::DecodeOptions{}.max_pixels;
  VITRAIN_CHECK_DATA(
      std::int64_t{size.width} * size.height <= most,
      "would be {} x {} pixels, more than the limit of {}",
      size.width,
      size.height,
      with_commas(most));
  return image::resize(
      image, size.width, size.height, filter, std::nullopt, pillow);
}

// Returns the image after torchvision's CenterCrop(size), which pads smaller
// images with black.
image::Image cropped(const image::Image& image, int size) {
  const image::Overlap x = image::centred(image.width, size);
  const image::Overlap y = image::centred(image.height, size);
  image::Image square(size, size);
  const image::View part =
      image::View(image).crop({x.first, y.first, x.count, y.count});
  for (int row = 0; row < part.height; ++row) {
    std::memcpy(
        square.pixels.data() +
            (static_cast<std::size_t>(y.at + row) * size + x.at) * 3,
        part.row(row),
        static_cast<std::size_t>(part.width) * 3);
  }
  return square;
}

// Reads the pixels of one file after another.
class Dumper {
 public:
  explicit Dumper(const DumpOptions& options) : options_(options) {
    if (options.transform) {
      transform_.emplace(*options.transform);
    }
  }

  // Reads file k; shape() and pixels() then return its content.
  void read(const std::string& file, std::int64_t k) {
    detail::read_image_file(file, bytes_);
    try {
      if (transform_) {
        transform(k);
      } else {
        image::Image image = image::decode(image::bytes_of(bytes_));
        clipped_ = image.clipped;
        if (options_.resize > 0) {
          image =
              resized(image, options_.resize, options_.filter, options_.pillow);
        }
        if (options_.crop > 0) {
          image = cropped(image, options_.crop);
        }
        pixels_ = std::move(image.pixels);
        shape_ = {image.height, image.width, 3};
      }
    } catch (const Error& error) {
      fail(error.code(), "{}: {}", printable(file), error.what());
    }
  }

  const std::array<std::int64_t, 3>& shape() const { return shape_; }
  std::span<const std::uint8_t> pixels() const { return pixels_; }
  bool clipped() const { return clipped_; }

 private:
  void transform(std::int64_t k) {
    const Draw draw{
        .epoch = options_.epoch, .sample = options_.first_sample + k};
    const auto bytes = image::bytes_of(bytes_);
    const int channels = transform_->channels();
    pixels_.resize(transform_->bytes());
    if (are_colours(channels)) {
      const image::Image image = image::decode(bytes, transform_->decode());
      clipped_ = image.clipped;
      transform_->apply(image, draw, pixels_, scratch_);
    } else {
      transform_->apply(
          image::decode_channels(bytes, channels, transform_->decode()),
          draw,
          pixels_,
          scratch_);
    }
    const image::Size& size = options_.transform->size;
    shape_ = {size.height, size.width, channels};
  }

  DumpOptions options_;
  std::optional<Transform> transform_;
  Transform::Scratch scratch_;
  std::string bytes_;
  std::vector<std::uint8_t> pixels_;
  std::array<std::int64_t, 3> shape_{};
  bool clipped_ = false;
};

} // namespace

std::vector<std::string> dump_pixels(
    std::span<const std::string> files,
    const DumpOptions& options,
    const std::function<void(std::string_view bytes)>& write) {
  Dumper dumper(options);
  std::array<std::int64_t, 3> first{};
  std::vector<std::string> clipped;
  for (std::size_t k = 0; k < files.size(); ++k) {
    dumper.read(files[k], static_cast<std::int64_t>(k));
    if (dumper.clipped()) {
      clipped.push_back(files[k]);
    }
    const auto& [height, width, channels] = dumper.shape();
    if (k == 0) {
      first = dumper.shape();
      write(npy_header({std::ssize(files), height, width, channels}));
    }
    VITRAIN_CHECK_DATA(
        dumper.shape() == first,
        "{}: has {} x {} pixels, but {} has {} x {}: an array has one size, so "
        "give -resize and -crop, or a recipe",
        printable(files[k]),
        width,
        height,
        printable(files[0]),
        first[1],
        first[0]);
    write(
        {reinterpret_cast<const char*>(dumper.pixels().data()),
         dumper.pixels().size()});
  }
  return clipped;
}

} // namespace vitrain::data
