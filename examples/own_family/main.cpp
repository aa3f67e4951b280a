// A family of models that is not part of vitrain, and its training from C++:
//   own_family RECIPE
#include <ATen/ATen.h>

#include <cstdio>
#include <string_view>

#include "engine/run/worker.h"
#include "job/supervise_job.h"
#include "models/families/family.h"
#include "networks/add_family.h"
#include "networks/layers/layers.h"

using namespace vitrain;

// Patches of so many pixels, a hidden layer for each, and the classes of their
// mean.
struct PatchMean : networks::Model {
  PatchMean(const models::ModelSpec& spec, const at::Generator& generator) {
    const std::int64_t side = spec.get<std::int64_t>();
    patches = networks::add_layer<networks::Conv2d>(
        *this,
        "patches",
        networks::Conv2d::Shape{
            .in = 3, .out = 64, .kernel = side, .stride = side, .bias = true},
        generator);
    head = networks::add_layer<networks::Linear>(
        *this, "head", 64, spec.num_classes, generator);
  }
  at::Tensor forward(
      const at::Tensor& images,
      const at::Tensor&,
      const at::Generator&) override {
    return (*head)(at::gelu((*patches)(images)).mean({2, 3}));
  }
  std::shared_ptr<networks::Conv2d> patches;
  std::shared_ptr<networks::Linear> head;
};

constexpr std::array kNames{
    models::NamedNetwork<std::int64_t>{"patch_mean_4", 32, 3, 4},
    models::NamedNetwork<std::int64_t>{"patch_mean_8", 32, 3, 8}};
const models::Family kPatchMean{
    .name = "patch_mean",
    .list = models::names_in<kNames>,
    .find = models::find_in<kNames>,
    .describe =
        [](const models::ModelSpec&) { return std::string("mean of patches"); },
    .identity = models::image_identity};

int main(int argc, char** argv) try {
  networks::add_family(
      kPatchMean,
      [](const models::ModelSpec& spec, const at::Generator& generator) {
        return std::shared_ptr<networks::Model>(
            std::make_shared<PatchMean>(spec, generator));
      });
  if (argc > 1 && std::string_view(argv[1]) == "--worker") {
    return engine::run_worker(); // started by supervise(), one for each device
  }
  job::PreparedJob job = job::prepare(
      {.recipe = {.file = argc > 1 ? argv[1] : "recipe.yaml"},
       .version = "example"});
  return job::supervise(job);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return static_cast<int>(exit_code_of(error));
}
