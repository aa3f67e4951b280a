// Networks that are given images of another size than the one they were made
// for.

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/families/family.h"
#include "models/resolve.h"
#include "networks/model.h"
#include "states/safetensors.h"
#include "unit/networks/fixtures.h"

namespace vitrain::networks {
namespace {

constexpr std::int64_t kSizedImages = 4;
constexpr std::int64_t kSizedClasses = 5;

struct SizedCase {
  const char* name; // in the fixture
  const char* model;
};

// make_image_sizes.py has the same.
constexpr SizedCase kSizedCases[] = {
    {"vit", "vit_tiny_patch16_224"},
    {"distilled", "deit_tiny_distilled_patch16_224"},
    {"deit3", "deit3_small_patch16_224"},
    {"registers", "vit_medium_patch16_reg4_gap_256"}};

std::shared_ptr<Model> make_sized(const char* name) {
  config::ModelConfig config = named(name);
  config.image_size = ImageSize(16);
  config.patch_size = 4;
  config.embed_dim = 12;
  config.num_heads = 3;
  config.depth = 2;
  config.mlp_ratio = 2.0;
  auto model = make_model(models::resolve(config, {kSizedClasses}), /*seed=*/0);
  model->to(at::kDouble);
  set_parameters(*model);
  return model;
}

at::Tensor sized_images(const ImageSize& size) {
  return pattern(kSizedImages * 3 * size.area(), 1000)
      .view({kSizedImages, 3, size.height, size.width});
}

// Removes the part that is noise: the bias of the keys shifts all logits of a
// query equally, so its gradient is zero.
at::Tensor without_keys(const std::string& name, const at::Tensor& gradient) {
  if (!name.ends_with("qkv.bias")) {
    return gradient;
  }
  const auto parts = gradient.chunk(3);
  return at::cat({parts[0], parts[2]});
}

// In double: the two differ by the order of their sums, some hundred roundings
// of 1e-16.
void expect_near(
    const at::Tensor& value,
    const at::Tensor& expected,
    const std::string& what) {
  ASSERT_EQ(value.sizes(), expected.sizes()) << what;
  EXPECT_LE(
      (value - expected).norm().item<double>(),
      1e-11 * expected.norm().item<double>() + 1e-15)
      << what;
}

TEST(ImageSizes, PositionsAreResampledAsTimmsDynamicImgSizeDoesIt) {
  const auto golden =
      states::read_safetensors(fixture("image_sizes.safetensors")).tensors;
  for (const SizedCase& one : kSizedCases) {
    for (const ImageSize size : {ImageSize(20, 28), ImageSize(8, 12)}) {
      const auto model = make_sized(one.model);
      const std::string start = fmt::format("{}/{}/", one.name, size.text());
      const at::Tensor logits = model->forward(sized_images(size), {});
      at::cross_entropy_loss(
          logits, at::arange(kSizedImages, at::kLong) % kSizedClasses)
          .backward();
      expect_near(
          logits.detach(), golden.at(start + "logits"), start + "logits");
      for (const auto& item : model->named_parameters()) {
        expect_near(
            without_keys(item.key(), item.value().grad()),
            without_keys(item.key(), golden.at(start + item.key())),
            start + item.key());
      }
    }
  }
}

// Autocast does not round positions.
TEST(ImageSizes, PositionsStayInSinglePrecision) {
  const auto model = make_sized("vit_tiny_patch16_224");
  model->to(at::kFloat);
  at::autocast::set_autocast_enabled(at::kCPU, true);
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  const at::Tensor logits =
      model->forward(sized_images({20, 28}).to(at::kFloat), {});
  at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(at::kCPU, false);
  logits.sum().backward();
  const at::Tensor gradient = model->named_parameters()["pos_embed"].grad();
  EXPECT_EQ(gradient.scalar_type(), at::kFloat);
  EXPECT_EQ(gradient.sizes(), (std::vector<std::int64_t>{1, 17, 12}));
}

// A network of an any-size family built for half the size accepts whole images
// and, if no weight depends on the size, gives the outputs of a network built
// for them.
TEST(ImageSizes, FamiliesOfAnySizeTakeOthers) {
  const at::NoGradGuard no_grad;
  int families = 0;
  for (const models::Family* family : models::families()) {
    if (!family->any_image_size) {
      continue;
    }
    ++families;
    models::ModelSpec whole = *models::find_model(family->list().front());
    whole.num_classes = kSizedClasses;
    models::ModelSpec half = whole;
    half.image_size = {whole.image_size.height / 2, whole.image_size.width / 2};
    const auto made_for_half = make_model(half, /*seed=*/1);
    made_for_half->eval();
    const at::Tensor image =
        pattern(3 * whole.image_size.area(), 7)
            .to(at::kFloat)
            .view({1, 3, whole.image_size.height, whole.image_size.width});
    const at::Tensor logits = made_for_half->forward(image, {});
    ASSERT_EQ(logits.sizes(), (std::vector<std::int64_t>{1, kSizedClasses}))
        << whole.name;
    if (family->identity(half) == family->identity(whole)) {
      const auto made_for_whole = make_model(whole, /*seed=*/1);
      made_for_whole->eval();
      EXPECT_TRUE(at::equal(logits, made_for_whole->forward(image, {})))
          << whole.name;
    }
  }
  EXPECT_EQ(families, 24);
}

} // namespace
} // namespace vitrain::networks
