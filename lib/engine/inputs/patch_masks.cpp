#include "engine/inputs/patch_masks.h"

#include <ATen/ATen.h>

#include "core/random.h"

namespace vitrain::engine {
namespace {

void draw_column(at::Tensor& masks, std::int64_t column, Random random) {
  auto table = masks.accessor<float, 2>();
  for (std::int64_t patch = 0; patch < masks.size(0); ++patch) {
    table[patch][column] = static_cast<float>(random.uniform());
  }
}

} // namespace

at::Tensor patch_masks(
    std::int64_t patches,
    std::uint64_t seed,
    std::int64_t step,
    std::int64_t first,
    std::int64_t count) {
  if (patches == 0) {
    return {};
  }
  at::Tensor masks = at::empty({patches, count}, at::kFloat);
  for (std::int64_t i = 0; i < count; ++i) {
    draw_column(
        masks,
        i,
        Random(
            seed,
            Purpose::kPatchMask,
            static_cast<std::uint64_t>(step),
            static_cast<std::uint64_t>(first + i)));
  }
  return masks;
}

at::Tensor eval_patch_masks(
    std::int64_t patches,
    std::span<const std::int64_t> samples,
    std::int64_t rows) {
  if (patches == 0) {
    return {};
  }
  at::Tensor masks = at::zeros({patches, rows}, at::kFloat);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    draw_column(
        masks,
        static_cast<std::int64_t>(i),
        Random(
            /*seed=*/0,
            Purpose::kEvalPatchMask,
            /*a=*/0,
            static_cast<std::uint64_t>(samples[i])));
  }
  return masks;
}

} // namespace vitrain::engine
