// vitrain with a family of models of its own, and all of its command line:
//   own_family -cfg recipe.yaml -data_path DATA
#include <ATen/ATen.h>

#include "models/families/family.h"
#include "networks/add_network.h"
#include "networks/layers/layers.h"
#include "program/run.h"

using namespace vitrain;
using networks::add_layer, networks::Conv2d, networks::Linear;

// Patches of so many pixels, 64 features of each, the classes of their mean.
struct PatchMean : networks::Model {
  PatchMean(const models::ModelSpec& spec, const at::Generator& random) {
    const std::int64_t side = spec.get<std::int64_t>();
    const Conv2d::Shape shape{
        .in = spec.channels, .out = 64, .kernel = side, .stride = side};
    patches = add_layer<Conv2d>(*this, "patches", shape, random);
    head = add_layer<Linear>(*this, "head", 64, spec.num_classes, random);
  }
  at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor& /*drop*/,
      const at::Generator& /*dropout*/) override {
    return (*head)(at::gelu((*patches)(images)).mean({2, 3}));
  }
  std::shared_ptr<Conv2d> patches;
  std::shared_ptr<Linear> head;
};

constexpr auto kNames = std::to_array<models::NamedNetwork<std::int64_t>>(
    {{"patch_mean_4", 32, 3, 4}, {"patch_mean_8", 32, 3, 8}});
const models::Family kPatchMean{
    .name = "patch_mean",
    .list = models::names_in<kNames>,
    .find = models::find_in<kNames>,
    .describe = [](auto&) { return std::string("mean of patches"); },
    .identity = models::image_identity};

int main(int argc, char** argv) {
  networks::add_family<PatchMean>(kPatchMean);
  return program::run(argc, argv);
}
