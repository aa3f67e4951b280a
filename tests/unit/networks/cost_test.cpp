#include "networks/cost.h"

#include <cstdio>
#include <cstdlib>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "models/families/convnet.h"
#include "networks/add_network.h"
#include "networks/layers/layers.h"

namespace vitrain::networks {
namespace {

// A network that fails on the meta device, as a user may write one.
struct WithoutMeta : Model {
  WithoutMeta(const models::ModelSpec& spec, const at::Generator& random) {
    head = add_layer<Linear>(
        *this, "head", spec.channels, spec.num_classes, random);
  }
  at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor& /*drop*/,
      const at::Generator& /*dropout*/) override {
    return (*head)(at::relu(images).mean({2, 3}));
  }
  std::shared_ptr<Linear> head;
};

void count_without_meta() {
  static models::Family family = models::kConvNet;
  family.name = "without_meta";
  add_family<WithoutMeta>(family);
  const models::ModelSpec spec{
      .name = "without_meta_net",
      .family = &family,
      .num_classes = 3,
      .image_size = {8, 8}};
  try {
    cost_of(spec);
  } catch (const Error& error) {
    std::fputs(error.what(), stderr);
    std::exit(static_cast<int>(error.code()));
  }
  std::exit(0);
}

// In a process of its own: the family would stay for all tests of this one.
TEST(Cost, SaysWhichOperatorTheMetaDeviceLacks) {
  EXPECT_EXIT(
      count_without_meta(),
      testing::ExitedWithCode(static_cast<int>(ExitCode::kInternal)),
      "without_meta_net: .*aten::relu.*activate\\(\\)");
}

} // namespace
} // namespace vitrain::networks
