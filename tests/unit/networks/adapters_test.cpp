// Low-rank adapters (model.lora) and dropout of the classifier's input.

#include <set>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "models/families/family.h"
#include "models/resolve.h"
#include "networks/layers/layers.h"
#include "networks/layers/recompute.h"
#include "networks/model.h"
#include "networks/networks.h"
#include "states/load_tensors.h"
#include "states/safetensors.h"
#include "unit/networks/fixtures.h"
#include "weights/adapters.h"

namespace vitrain::networks {
namespace {

// The network of make_lora.py, without adapters.
models::ModelSpec small_vit() {
  config::ModelConfig config = named("vit_tiny_patch16_224");
  config.image_size = 16;
  config.patch_size = 8;
  config.embed_dim = 16;
  config.depth = 2;
  config.num_heads = 2;
  return models::resolve(config, {.outputs = 5});
}

config::LoraConfig lora(double dropout = 0.0) {
  config::LoraConfig config;
  config.rank = 3;
  config.alpha = 6;
  config.dropout = dropout;
  return config;
}

models::ModelSpec with_adapters(double dropout = 0.0) {
  models::ModelSpec spec = small_vit();
  spec.lora = lora(dropout);
  return spec;
}

// The golden numbers are computed in double, ours in fp32; random weights of
// this size make gradients of the first block a few hundred roundings.
void expect_close(const at::Tensor& one, const at::Tensor& golden) {
  const double largest = golden.abs().max().item<double>();
  EXPECT_LE((one - golden).abs().max().item<double>(), 4e-5 * largest);
}

TEST(Adapters, LogitsAndGradientsEqualPefts) {
  const auto golden =
      states::read_safetensors(fixture("lora_outputs.safetensors")).tensors;
  const auto saved =
      states::read_safetensors(fixture("lora.safetensors")).tensors;
  const auto model = make_model(with_adapters(), 1);
  std::set<std::string> names;
  {
    const at::NoGradGuard no_grad;
    for (const auto& item : model->named_parameters()) {
      item.value().detach().copy_(saved.at(item.key()));
      names.insert(item.key());
    }
    for (const auto& item : model->named_buffers()) {
      EXPECT_TRUE(at::equal(item.value(), saved.at(item.key())));
      names.insert(item.key());
    }
  }
  EXPECT_EQ(names.size(), saved.size());
  const at::Tensor logits = model->forward(golden.at("images"), {});
  expect_close(logits, golden.at("logits"));
  at::cross_entropy_loss(logits, golden.at("labels")).backward();
  const auto parameters = model->named_parameters();
  std::size_t compared = 0;
  for (const auto& [name, gradient] : golden) {
    if (const std::string start = "gradient."; name.starts_with(start)) {
      expect_close(parameters[name.substr(start.size())].grad(), gradient);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 2 * 2 * 2 + 2U);
}

TEST(Adapters, MergedWeightsEqualPefts) {
  const auto golden =
      states::read_safetensors(fixture("lora_outputs.safetensors")).tensors;
  const auto archive = weights::merge_adapters(
      weights::open_archive(fixture("lora.safetensors")));
  const auto model = make_model(small_vit(), 1);
  states::load_weights(*model, *archive, {}, "lora.safetensors");
  expect_close(
      model->forward(golden.at("images"), {}).detach(), golden.at("merged"));
}

// A file of an ordinary network starts a network with adapters, which keep
// their initial values and change nothing at first.
TEST(Adapters, StartFromWeightsWithoutAdapters) {
  const auto golden =
      states::read_safetensors(fixture("lora_outputs.safetensors")).tensors;
  const auto archive = weights::merge_adapters(
      weights::open_archive(fixture("lora.safetensors")));
  const auto plain = make_model(small_vit(), 1);
  const auto model = make_model(with_adapters(), 1);
  for (const auto& network : {plain, model}) {
    states::load_weights(*network, *archive, {}, "lora.safetensors");
  }
  const at::Tensor images = golden.at("images");
  EXPECT_TRUE(
      at::equal(model->forward(images, {}), plain->forward(images, {})));
}

TEST(Adapters, AreRefusedIfIncomplete) {
  auto archive = weights::open_archive(fixture("lora.safetensors"));
  archive->tensors.erase("blocks.0.attn.qkv.lora_B.weight");
  try {
    weights::merge_adapters(std::move(archive));
    ADD_FAILURE() << "merged";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kWeights);
    EXPECT_NE(
        std::string(error.what()).find("blocks.0.attn.qkv.lora_B"),
        std::string::npos);
  }
}

TEST(Adapters, NeedALayerForEachPattern) {
  models::ModelSpec spec = small_vit();
  const auto code = [&](std::vector<std::string> match) {
    spec.lora = lora();
    spec.lora.match = std::move(match);
    try {
      make_network(spec, at::Generator());
    } catch (const Error& error) {
      return error.code();
    }
    return ExitCode::kDone;
  };
  EXPECT_EQ(code({"blocks.*.fc1", "*.qkv"}), ExitCode::kDone);
  EXPECT_EQ(code({"blocks.*.fc1", "*.query"}), ExitCode::kUsage);
  EXPECT_EQ(code({"patch_embed"}), ExitCode::kUsage); // a convolution
}

std::vector<at::Tensor>
gradients_of(Model& model, std::int64_t size, std::int64_t every) {
  at::Generator numbers = at::detail::createCPUGenerator(9);
  at::Tensor loss;
  {
    const RecomputeScope scope(every);
    loss = model
               .forward(
                   at::empty({2, 3, size, size}).normal_(0.0, 1.0, numbers),
                   {},
                   at::detail::createCPUGenerator(7))
               .square()
               .sum();
  }
  loss.backward();
  std::vector<at::Tensor> gradients;
  for (at::Tensor& parameter : model.parameters()) {
    gradients.push_back(parameter.grad().clone());
    parameter.mutable_grad() = at::Tensor();
  }
  return gradients;
}

// A ViT passes its generator to the blocks; BEiT is an ImageModel, whose blocks
// take the scope's.
TEST(Adapters, DropTheSameInputsWhenBlocksAreRecomputed) {
  models::ModelSpec beit =
      models::resolve(named("beitv2_base_patch16_224"), {.outputs = 3});
  beit.lora = lora(0.3);
  for (const models::ModelSpec& spec : {with_adapters(0.3), beit}) {
    const auto model = make_model(spec, 1);
    for (const auto& item : model->named_parameters()) {
      if (item.key().ends_with("lora_B.weight")) {
        const at::NoGradGuard no_grad;
        item.value().detach().fill_(0.1);
      }
    }
    const std::int64_t size = spec.image_size.height;
    const auto kept = gradients_of(*model, size, 0);
    const auto again = gradients_of(*model, size, 1);
    ASSERT_EQ(kept.size(), again.size());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      EXPECT_TRUE(at::equal(kept[i], again[i])) << i;
    }
  }
}

TEST(Features, AreTheInputsOfTheClassifier) {
  const auto model = make_model(small_vit(), 1);
  FeatureScope features;
  const at::Tensor logits = model->forward(at::ones({2, 3, 16, 16}), {});
  const auto inputs = features.take();
  ASSERT_EQ(inputs.size(), 1U);
  const auto parameters = model->named_parameters();
  EXPECT_TRUE(at::equal(
      at::linear(inputs[0], parameters["head.weight"], parameters["head.bias"]),
      logits));
  EXPECT_TRUE(features.take().empty());
}

TEST(HeadDropout, DropsTheInputsOfALayer) {
  Linear layer(50, 4, at::detail::createCPUGenerator(1));
  const at::Tensor x = at::ones({3, 50});
  const auto masks = [] { return at::detail::createCPUGenerator(3); };
  layer.make_classifier(0.5);
  EXPECT_TRUE(at::equal(layer(x), at::linear(x, layer.weight, layer.bias)));
  const DropoutScope scope(masks());
  EXPECT_TRUE(at::equal(
      layer(x),
      at::linear(Dropout{0.5, masks()}(x), layer.weight, layer.bias)));
}

TEST(HeadDropout, IsInEveryFamilyWithAClassifier) {
  for (const models::Family* family : models::families()) {
    models::ModelSpec spec = *models::find_model(family->list().front());
    if (family->learns_pixels || family->has_conv_classifier) {
      continue;
    }
    if (family->apply != nullptr) {
      family->apply(named(spec.name), spec);
    }
    spec.head_dropout = 0.25;
    int layers = 0;
    for (const auto& module : make_network(spec, at::Generator())->modules()) {
      const auto* linear = module->as<Linear>();
      layers += linear != nullptr && linear->input_dropout() == 0.25 ? 1 : 0;
    }
    EXPECT_GE(layers, 1) << family->name;
    EXPECT_LE(layers, 2) << family->name; // a distillation head, too
  }
}

} // namespace
} // namespace vitrain::networks
