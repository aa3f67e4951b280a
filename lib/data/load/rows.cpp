#include "data/load/rows.h"

#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/check.h"
#include "core/text.h"
#include "data/kinds/datasets.h"
#include "data/load/image_rows.h"
#include "image/formats/decode_room.h"
#include "image/formats/decoder.h"
#include "options/channels.h"

namespace vitrain::data {
namespace {

struct ImageScratch final : Rows::Scratch {
  explicit ImageScratch(const image::DecodeOptions& options)
      : decoder(options) {}

  std::string bytes; // content of the file
  image::Decoder decoder;
  Transform::Scratch transform;
};

// Closes the decoder on scope exit, which releases the memory of the row's
// image, also after an exception.
struct Closing {
  image::Decoder& decoder;
  ~Closing() { decoder.close(); }
};

} // namespace

ImageRows::ImageRows(
    std::shared_ptr<const Source> source,
    const TransformOptions& options)
    : Rows(source->shared_index()),
      source_(std::move(source)),
      transform_(options) {}

std::unique_ptr<Rows::Scratch> ImageRows::make_scratch() const {
  return std::make_unique<ImageScratch>(transform_.decode());
}

RowDefects ImageRows::fill(
    const Draw& draw,
    std::span<std::uint8_t> out,
    Scratch& scratch) const {
  auto& own = static_cast<ImageScratch&>(scratch);
  if (!are_colours(transform_.channels())) {
    return fill_channels(draw, out, own.bytes, own.transform);
  }
  if (!source_->read(draw.sample, own.bytes)) {
    const image::Image image = source_->load(draw.sample);
    transform_.apply(image, draw, out, own.transform);
    return {image.warnings, image.clipped};
  }
  const Closing closing{own.decoder};
  try {
    own.decoder.open(image::bytes_of(own.bytes));
    const image::CropPlan plan =
        transform_.plan(own.decoder.width(), own.decoder.height(), draw);
    // Only the pixels that the crop needs are decoded.
    const image::Decoder::Part part = own.decoder.decode(plan.source());
    transform_.apply(plan, part, draw, out, own.transform);
    return {part.warnings, part.clipped};
  } catch (const Error& error) {
    fail(error.code(), "{}: {}", describe(draw.sample), error.what());
  }
}

RowDefects ImageRows::fill_channels(
    const Draw& draw,
    std::span<std::uint8_t> out,
    std::string& bytes,
    Transform::Scratch& scratch) const {
  const int channels = transform_.channels();
  if (!source_->read(draw.sample, bytes)) {
    transform_.apply(
        source_->load_channels(draw.sample, channels), draw, out, scratch);
    return {};
  }
  try {
    const image::DecodeOptions& options = transform_.decode();
    const auto file = image::bytes_of(bytes);
    const image::DecodeRoom room(
        image::decode_bytes(file, options, channels), options.memory);
    const std::vector<image::Image> pictures =
        image::decode_channels(file, channels, options);
    transform_.apply(pictures, draw, out, scratch);
    return {.warnings = pictures.front().warnings};
  } catch (const Error& error) {
    fail(error.code(), "{}: {}", describe(draw.sample), error.what());
  }
}

RowDefects VectorRows::fill(
    const Draw& draw,
    std::span<std::uint8_t> out,
    Scratch& /*scratch*/) const {
  std::memcpy(out.data(), index().payload(draw.sample).data(), out.size());
  return {};
}

std::string VectorRows::describe(std::int64_t sample) const {
  const SourceOptions& options = index().options();
  return options.path.empty()
      ? fmt::format("row {} of seed {}", sample, options.seed)
      : fmt::format("{} row {}", printable(options.path), sample);
}

std::unique_ptr<Rows> open_rows(
    std::shared_ptr<const Index> index,
    const TransformOptions& options) {
  if (index->options().kind == SourceKind::kVectors) {
    return std::make_unique<VectorRows>(std::move(index));
  }
  return std::make_unique<ImageRows>(open(std::move(index)), options);
}

} // namespace vitrain::data
