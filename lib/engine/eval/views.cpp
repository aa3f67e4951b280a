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
  const auto width = static_cast<double>(size.width);
  const auto height = static_cast<double>(size.height);
  const double factor = preprocess.resize
      ? static_cast<double>(*preprocess.resize) / std::min(width, height)
      : 1.0 / preprocess.crop_pct;
  VITRAIN_CHECK(
      factor > 1.0,
      ExitCode::kUsage,
      "eval.tta: {} needs images that are larger than what the network sees, "
      "and they are resized to just that: lower data.preprocess.crop_pct, or "
      "use eval.tta: flip",
      name_of(tta));
  size.width = static_cast<std::int64_t>(std::floor(width * factor));
  size.height = static_cast<std::int64_t>(std::floor(height * factor));
  return spec;
}

std::vector<at::Tensor>
views_of(Tta tta, const at::Tensor& images, const ImageSize& size) {
  if (!crops(tta)) {
    std::vector<at::Tensor> views{images};
    if (tta == Tta::kFlip) {
      views.push_back(mirrored(images));
    }
    return views;
  }
  const std::int64_t down = images.size(2) - size.height;
  const std::int64_t right = images.size(3) - size.width;
  // Python's round(), of halves to even, as torchvision has it.
  const auto middle = [](std::int64_t space) {
    return static_cast<std::int64_t>(
        std::nearbyint(static_cast<double>(space) / 2.0));
  };
  std::vector<at::Tensor> views;
  for (const auto& [top, left] :
       {std::pair<std::int64_t, std::int64_t>(0, 0),
        {0, right},
        {down, 0},
        {down, right},
        {middle(down), middle(right)}}) {
    views.push_back(images.narrow(2, top, size.height)
                        .narrow(3, left, size.width)
                        .contiguous(images.suggest_memory_format()));
  }
  if (tta == Tta::kTenCrop) {
    for (std::size_t i = 0; i < 5; ++i) {
      views.push_back(mirrored(views[i]));
    }
  }
  return views;
}

} // namespace vitrain::engine
