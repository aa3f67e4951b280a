#include "data/rows.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain::data {
namespace {

struct ImageScratch final : Rows::Scratch {
  Transform::Scratch transform;
};

} // namespace

ImageRows::ImageRows(
    std::shared_ptr<const Source> source,
    const TransformOptions& options)
    : Rows(source->shared_index()),
      source_(std::move(source)),
      transform_(options) {}

std::unique_ptr<Rows::Scratch> ImageRows::make_scratch() const {
  return std::make_unique<ImageScratch>();
}

int ImageRows::fill(
    std::int64_t epoch,
    std::int64_t sample,
    std::span<std::uint8_t> out,
    Scratch& scratch) const {
  auto& own = static_cast<ImageScratch&>(scratch);
  const image::Image image = source_->load(sample);
  transform_.apply(image, epoch, sample, out, own.transform);
  return image.warnings;
}

int VectorRows::fill(
    std::int64_t /*epoch*/,
    std::int64_t sample,
    std::span<std::uint8_t> out,
    Scratch& /*scratch*/) const {
  std::memcpy(out.data(), index().payload(sample).data(), out.size());
  return 0;
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
