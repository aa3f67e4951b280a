#include "engine/eval/views.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "unit/engine/fixtures.h"

namespace vitrain::engine {
namespace {

using config::Tta;

models::ModelSpec vit_of(std::int64_t size) {
  models::ModelSpec spec = tiny_vit();
  spec.image_size = size;
  return spec;
}

TEST(Views, CropsAreWhereTorchvisionHasThem) {
  const at::Tensor images = at::arange(2 * 3 * 7 * 7).view({2, 3, 7, 7});
  const auto views = views_of(Tta::kTenCrop, images, 4);
  ASSERT_EQ(views.size(), 10u);
  // round((7 - 4) / 2) is 2: halves go to the even number.
  const std::int64_t corners[5][2]{{0, 0}, {0, 3}, {3, 0}, {3, 3}, {2, 2}};
  for (std::size_t i = 0; i < 5; ++i) {
    const at::Tensor crop = images.slice(2, corners[i][0], corners[i][0] + 4)
                                .slice(3, corners[i][1], corners[i][1] + 4);
    EXPECT_TRUE(at::equal(views[i].images, crop)) << i;
    EXPECT_TRUE(at::equal(views[5 + i].images, crop.flip({3}))) << i;
  }
  EXPECT_EQ(views_of(Tta::kFiveCrop, images, 4).size(), 5u);
  EXPECT_EQ(views_of(Tta::kNone, images, 7).size(), 1u);
  EXPECT_TRUE(
      at::equal(views_of(Tta::kFlip, images, 7)[1].images, images.flip({3})));
}

// Compares with tta_level 2 of legacy/airbench94.py
// (github.com/KellerJordan/cifar10-airbench): its sum of outputs, for a
// non-linear "network".
TEST(Views, ShiftsAreWeightedAsInTheirPaper) {
  const at::Tensor images =
      at::linspace(-3, 3, 2 * 3 * 5 * 5, at::kDouble).view({2, 3, 5, 5}).sin();
  const at::Tensor kernel =
      at::linspace(-1, 1, 75, at::kDouble).view({3, 5, 5});
  const auto network = [&](const at::Tensor& x) {
    return (x * kernel).sum({1, 2, 3}).tanh();
  };
  const auto both = [&](const at::Tensor& x) {
    return network(x) * 0.5 + network(x.flip({3})) * 0.5;
  };
  // Rows and columns 1, 0, 1, 2, 3 and 1, 2, 3, 4, 3: reflected at an edge.
  const auto taken = [&](std::vector<std::int64_t> from) {
    const at::Tensor index = at::tensor(from, at::kLong);
    return images.index_select(2, index).index_select(3, index);
  };
  const at::Tensor expected = both(images) * 0.5 +
      (both(taken({1, 0, 1, 2, 3})) + both(taken({1, 2, 3, 4, 3}))) * 0.25;
  at::Tensor sum = at::zeros({2}, at::kDouble);
  double weights = 0.0;
  for (const View& view : views_of(Tta::kFlipShift, images, 5)) {
    sum += network(view.images) * view.weight;
    weights += view.weight;
  }
  EXPECT_TRUE(at::allclose(sum / weights, expected, 1e-12, 1e-12));
}

TEST(Views, CropsNeedRoom) {
  config::PreprocessConfig preprocess;
  preprocess.crop_pct = 0.875;
  const auto spec = vit_of(224);
  const auto size = [&](Tta tta) {
    return with_room_for_views(tta, preprocess, spec).image_size;
  };
  EXPECT_EQ(size(Tta::kNone), ImageSize(224));
  EXPECT_EQ(size(Tta::kFlip), ImageSize(224));
  EXPECT_EQ(size(Tta::kFiveCrop), ImageSize(256));
  preprocess.resize = 232;
  EXPECT_EQ(size(Tta::kTenCrop), ImageSize(232));
  for (const std::int64_t side : {225, 230, 237, 244, 251, 453}) {
    preprocess.resize = side;
    EXPECT_EQ(size(Tta::kTenCrop), ImageSize(side));
  }
  preprocess.resize = 224;
  EXPECT_THROW(size(Tta::kTenCrop), Error);
  preprocess.resize.reset();
  preprocess.crop_pct = 1.0;
  EXPECT_THROW(size(Tta::kTenCrop), Error);
  preprocess.crop_pct = 0.875;
  preprocess.crop_mode = CropMode::kSquash;
  EXPECT_THROW(size(Tta::kTenCrop), Error);
}

} // namespace
} // namespace vitrain::engine
