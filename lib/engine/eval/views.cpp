#include "engine/eval/views.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <ATen/ATen.h>

#include "core/check.h"
#include "core/enum_names.h"
#include "models/families/family.h"

namespace vitrain::engine {
namespace {

using config::Tta;

bool crops(Tta tta) {
  return tta == Tta::kFiveCrop || tta == Tta::kTenCrop;
}

at::Tensor mirrored(const at::Tensor& images) {
  return images.flip({3});
}

at::Tensor cut(
    const at::Tensor& images,
    std::int64_t top,
    std::int64_t left,
    std::int64_t height,
    std::int64_t width) {
  return images.narrow(2, top, height)
      .narrow(3, left, width)
      .contiguous(images.suggest_memory_format());
}

// Returns the images with weight 2, and the images shifted by one pixel down
// and right and by one pixel up and left with weight 1 each.
std::vector<View> shifted(const at::Tensor& images) {
  const at::Tensor padded = at::reflection_pad2d(images, {1, 1, 1, 1});
  std::vector<View> views{{images, 2.0}};
  for (const std::int64_t from : {0, 2}) {
    views.push_back(
        {cut(padded, from, from, images.size(2), images.size(3)), 1.0});
  }
  return views;
}

std::vector<View> crops_of(const at::Tensor& images, const ImageSize& size) {
  const std::int64_t down = images.size(2) - size.height;
  const std::int64_t right = images.size(3) - size.width;
  // Python's round(), halves to even, as in torchvision.
  const auto middle = [](std::int64_t space) {
    return static_cast<std::int64_t>(
        std::nearbyint(static_cast<double>(space) / 2.0));
  };
  std::vector<View> views;
  for (const auto& [top, left] :
       {std::pair<std::int64_t, std::int64_t>(0, 0),
        {0, right},
        {down, 0},
        {down, right},
        {middle(down), middle(right)}}) {
    views.push_back({cut(images, top, left, size.height, size.width)});
  }
  return views;
}

} // namespace

models::ModelSpec with_room_for_views(
    Tta tta,
    const config::PreprocessConfig& preprocess,
    models::ModelSpec spec) {
  if (tta == Tta::kNone) {
    return spec;
  }
  VITRAIN_CHECK(
      spec.features == 0 && !spec.family->learns_pixels,
      ExitCode::kUsage,
      "eval.tta: {} is for networks that classify images, which {} does not: "
      "set it to none",
      name_of(tta),
      spec.name);
  if (!crops(tta)) {
    return spec;
  }
  VITRAIN_CHECK(
      preprocess.crop_mode == CropMode::kCenter,
      ExitCode::kUsage,
      "eval.tta: {} cuts crops out of what data.preprocess.crop_mode: center "
      "resizes, got {}: use center, or eval.tta: flip",
      name_of(tta),
      name_of(preprocess.crop_mode));
  ImageSize& size = spec.image_size;
  // Returns the side after resizing, rounded down.
  const auto resized =
      [&preprocess,
       shorter = std::min(size.width, size.height)](std::int64_t side) {
        return preprocess.resize
            ? side * *preprocess.resize / shorter
            : static_cast<std::int64_t>(
                  std::floor(static_cast<double>(side) / preprocess.crop_pct));
      };
  VITRAIN_CHECK(
      preprocess.resize ? *preprocess.resize > std::min(size.width, size.height)
                        : preprocess.crop_pct < 1.0,
      ExitCode::kUsage,
      "eval.tta: {} needs images that are larger than what the network sees, "
      "and they are resized to just that: lower data.preprocess.crop_pct, or "
      "use eval.tta: flip",
      name_of(tta));
  size = {resized(size.height), resized(size.width)};
  return spec;
}

std::vector<View>
views_of(Tta tta, const at::Tensor& images, const ImageSize& size) {
  std::vector<View> views;
  switch (tta) {
    case Tta::kNone:
    case Tta::kFlip:
      views.push_back({images});
      break;
    case Tta::kFlipShift:
      views = shifted(images);
      break;
    case Tta::kFiveCrop:
    case Tta::kTenCrop:
      views = crops_of(images, size);
      break;
  }
  if (tta == Tta::kFlip || tta == Tta::kFlipShift || tta == Tta::kTenCrop) {
    const std::size_t count = views.size();
    for (std::size_t i = 0; i < count; ++i) {
      views.push_back({mirrored(views[i].images), views[i].weight});
    }
  }
  return views;
}

} // namespace vitrain::engine
