#include "data/load/pipeline.h"

#include <algorithm>

#include "core/random.h"
#include "data/augment/splits.h"
#include "image/operations/channels.h"
#include "image/operations/grey.h"
#include "image/operations/random_crop.h"

namespace vitrain::data {
namespace {

// Samples the filter as timm's "random" interpolation does.
Filter any_filter(Random& random) {
  return random.below(2) == 0 ? Filter::kBilinear : Filter::kBicubic;
}

} // namespace

image::CropPlan Transform::plan(int width, int height, const Draw& draw) const {
  const bool fixed = !options_.train || options_.crop == TrainCrop::kNone ||
      options_.crop == TrainCrop::kSquash;
  image::CropPlan plan = fixed ? plan_otherwise(width, height, draw)
                               : plan_in_training(width, height, draw);
  plan.pillow = options_.pillow;
  return plan;
}

image::CropPlan
Transform::plan_otherwise(int width, int height, const Draw& draw) const {
  const bool squash = options_.train && options_.crop == TrainCrop::kSquash;
  image::CropPlan plan = image::plan_eval_crop(
      width,
      height,
      {.size = options_.size,
       .mode = squash ? CropMode::kSquash : options_.crop_mode,
       .resize = squash ? 0 : options_.resize,
       .crop_pct = squash ? 1.0 : options_.crop_pct,
       .filter = options_.filter,
       .fill = options_.fill});
  plan.mirrored = options_.train && flips(draw);
  return plan;
}

image::CropPlan
Transform::plan_in_training(int width, int height, const Draw& draw) const {
  Random random = stream(options_.seed, Purpose::kCrop, draw);
  const image::Size& size = options_.size;
  image::CropPlan plan;
  if (options_.crop == TrainCrop::kPad) {
    const image::Size to = image::padded_crop_resize(width, height, size);
    const auto offset = [&](int in, int side) {
      const std::int64_t last = in + 2 * std::int64_t{options_.padding} - side;
      return static_cast<int>(
          random.below(static_cast<std::uint64_t>(last) + 1));
    };
    const int top = offset(to.height, size.height);
    const int left = offset(to.width, size.width);
    plan = image::plan_padded_crop(
        width, height, size, options_.padding, left, top);
    if (options_.reflects) {
      plan.border = image::CropPlan::Border::kReflect;
    }
  } else if (options_.crop == TrainCrop::kResized) {
    plan = image::plan_resized_crop(
        image::draw_resized_crop(
            width, height, options_.scale, options_.ratio, random),
        size);
  } else {
    const image::KeepRatio shape =
        image::draw_keep_ratio(options_.scale, options_.ratio, random);
    plan = image::plan_keep_ratio_crop(
        width,
        height,
        size,
        shape,
        options_.crop == TrainCrop::kRkrr ? &random : nullptr);
  }
  // Sampled last, so that crops are the same with and without random_filter.
  plan.filter =
      options_.random_filter ? any_filter(random) : options_.train_filter;
  plan.mirrored = flips(draw);
  return plan;
}

bool Transform::flips(const Draw& draw) const {
  const auto flips_in = [this](const Draw& one) {
    return stream(options_.seed, Purpose::kFlip, one).uniform() < options_.flip;
  };
  if (!options_.flip_alternates) {
    return flips_in(draw);
  }
  Draw first = draw;
  first.epoch = 0;
  return flips_in(first) != (draw.epoch % 2 == 1);
}

void Transform::apply(
    const image::CropPlan& plan,
    const image::ImagePart& part,
    const Draw& draw,
    std::span<std::uint8_t> out,
    Scratch& scratch) const {
  const bool grey = options_.channels == 1;
  scratch.colours.resize(grey ? 3 * out.size() : 0);
  const std::span<std::uint8_t> colours = grey ? scratch.colours : out;
  image::cut(
      plan,
      part,
      scratch.resampler,
      colours.first(colours.size() / static_cast<std::size_t>(splits())));
  if (options_.train) {
    augment(colours, draw, scratch.augment);
  }
  if (grey) {
    image::to_grey(colours, out);
  }
}

void Transform::apply(
    std::span<const image::Image> pictures,
    const Draw& draw,
    std::span<std::uint8_t> out,
    Scratch& scratch) const {
  const image::Image& first = pictures.front();
  const image::CropPlan plan = this->plan(first.width, first.height, draw);
  const std::size_t bytes = std::size_t{3} *
      static_cast<std::size_t>(options_.size.width) * options_.size.height;
  scratch.colours.resize(bytes * pictures.size());
  std::span<std::uint8_t> rest = scratch.colours;
  for (const image::Image& picture : pictures) {
    const std::span<std::uint8_t> pixels = rest.first(bytes);
    rest = rest.subspan(bytes);
    image::cut(plan, {image::View(picture)}, scratch.resampler, pixels);
    if (options_.train) {
      augment_.flip(
          image::Canvas(pixels, options_.size.width, options_.size.height),
          draw);
    }
  }
  image::join_channels(scratch.colours, options_.channels, out);
}

void Transform::augment(
    std::span<std::uint8_t> colours,
    const Draw& draw,
    AugmentScratch& scratch) const {
  const std::size_t bytes = colours.size() / static_cast<std::size_t>(splits());
  const auto canvas = [&](std::span<std::uint8_t> pixels) {
    return image::Canvas(pixels, options_.size.width, options_.size.height);
  };
  const std::span<std::uint8_t> first = colours.first(bytes);
  augment_.flip(canvas(first), draw);
  if (splits() == 1) {
    augment_.change(canvas(first), draw, scratch);
  }
  for (std::int64_t split = 1; split < splits(); ++split) {
    const std::span<std::uint8_t> other =
        colours.subspan(static_cast<std::size_t>(split) * bytes, bytes);
    std::ranges::copy(first, other.begin());
    augment_.change(canvas(other), of_split(draw, splits(), split), scratch);
  }
}

} // namespace vitrain::data
