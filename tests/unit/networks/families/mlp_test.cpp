#include "networks/model.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "models/resolve.h"
#include "networks/tensors.h"
#include "support/errors.h"
#include "support/messages.h"
#include "unit/networks/fixtures.h"

namespace vitrain::networks {
namespace {

std::string refused(
    const config::ModelConfig& config,
    const models::DataShape& data) {
  return error_of(ExitCode::kUsage, [&] { models::resolve(config, data); });
}

std::int64_t count_of(Model& model) {
  std::int64_t count = 0;
  for (const auto& parameter : model.parameters()) {
    count += parameter.numel();
  }
  return count;
}

TEST(Mlp, LinearIsOneLayerOfTorchs) {
  const models::ModelSpec spec =
      models::resolve(named("linear"), {.outputs = 1, .features = 10});
  const auto model = make_model(spec, 3);
  EXPECT_EQ(count_of(*model), 11);
  EXPECT_EQ(parameter_count(spec), 11);
  const at::Tensor x = pattern(40, 0).to(at::kFloat).view({4, 10});
  const auto parameters = model->named_parameters();
  EXPECT_TRUE(at::equal(
      model->forward(x, {}),
      at::linear(x, parameters["fc.weight"], parameters["fc.bias"])));
}

TEST(Mlp, HasHiddenLayersOfTheGivenWidth) {
  config::ModelConfig config = named("mlp");
  config.depth = 2;
  config.embed_dim = 7;
  const models::ModelSpec spec =
      models::resolve(config, {.outputs = 3, .features = 5});
  const auto model = make_model(spec, 0);
  const auto p = model->named_parameters();
  EXPECT_EQ(p["hidden.1.weight"].sizes(), (at::IntArrayRef{7, 7}));
  EXPECT_EQ(count_of(*model), parameter_count(spec));
  const at::Tensor x = pattern(20, 0).to(at::kFloat).view({4, 5});
  const at::Tensor a =
      at::linear(x, p["hidden.0.weight"], p["hidden.0.bias"]).relu();
  const at::Tensor b =
      at::linear(a, p["hidden.1.weight"], p["hidden.1.bias"]).relu();
  EXPECT_TRUE(at::equal(
      model->forward(x, {}), at::linear(b, p["fc.weight"], p["fc.bias"])));
}

TEST(Mlp, TakesImagesToo) {
  config::ModelConfig config = named("linear");
  config.image_size = 8;
  config.in_chans = 1;
  const auto model = make_model(models::resolve(config, {10}), 0);
  EXPECT_EQ(count_of(*model), 65 * 10);
  EXPECT_EQ(
      model->forward(at::zeros({2, 1, 8, 8}), {}).sizes(),
      (at::IntArrayRef{2, 10}));
}

TEST(Mlp, GreyInputWorksInEveryFamily) {
  for (const char* name : {"vit_tiny_patch8_16", "resnet18"}) {
    config::ModelConfig config = named(name);
    config.image_size = 16;
    config.in_chans = 1;
    if (std::string(name) != "resnet18") {
      config.depth = 1;
    }
    const models::ModelSpec spec = models::resolve(config, {3});
    const auto model = make_model(spec, 0);
    EXPECT_EQ(
        model->forward(at::zeros({2, 1, 16, 16}), {}).sizes(),
        (at::IntArrayRef{2, 3}));
    EXPECT_EQ(count_of(*model), parameter_count(spec)) << name;
  }
}

TEST(Mlp, WhatDoesNotFitIsRefused) {
  const models::DataShape vectors{.outputs = 1, .features = 10};
  expect_message(refused(named("resnet18"), vectors), {"model.name"});
  config::ModelConfig config = named("linear");
  config.image_size = 8;
  expect_message(refused(config, vectors), {"model.image_size"});
  config = named("linear");
  config.depth = 1;
  expect_message(refused(config, vectors), {"model.depth"});
  config = named("linear");
  config.num_classes = 2;
  expect_message(refused(config, vectors), {});
  config = named("mnist_convnet");
  config.image_size = 15;
  expect_message(refused(config, {10}), {"16"});
}

} // namespace
} // namespace vitrain::networks
