#include <gmock/gmock.h>

#include <ATen/ATen.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cmath>

#include "core/error.h"
#include "exports/image_size.h"
#include "exports/trace.h"
#include "exports/write_files.h"
#include "small_networks.h"
#include "support/files.h"
#include "support/messages.h"

namespace vitrain::exports {
namespace {

using testing::HasSubstr;

class TorchScript : public testing::TestWithParam<SmallNetwork> {};

TEST_P(TorchScript, LoadedIsTheNetworkForAnyNumberOfImages) {
  const at::NoGradGuard no_grad;
  const TempFolder folder;
  const models::ModelSpec spec = spec_of(GetParam());
  const auto model = random_network(spec);
  const auto module = trace(*model, spec);
  check_same_outputs(*model, module, spec);
  const auto path = folder / "network.pt";
  write_torchscript(path, module, {.spec = spec, .classes = {"a", "b"}});

  torch::jit::ExtraFilesMap extra{{kDescriptionFile, ""}};
  auto loaded = torch::jit::load(path.native(), std::nullopt, extra);
  const Json description = Json::parse(extra.at(kDescriptionFile));
  EXPECT_EQ(description.at("model"), spec.name);
  EXPECT_EQ(description.at("classes"), Json({"a", "b"}));
  for (const std::int64_t count : {1, 4}) {
    const at::Tensor images = random_inputs(spec, count);
    const at::Tensor expected = model->forward(images, {});
    const at::Tensor given = loaded.forward({images}).toTensor();
    EXPECT_GT(expected.std().item<double>(), 1e-3);
    // Sums in another order where the network fuses layers.
    EXPECT_TRUE(at::allclose(given, expected, 1e-5, 1e-5)) << count;
  }
  // Views of contiguous images only would fail.
  const at::Tensor striped =
      random_inputs(spec, 2).contiguous(at::MemoryFormat::ChannelsLast);
  EXPECT_TRUE(at::allclose(
      loaded.forward({striped}).toTensor(),
      model->forward(striped.contiguous(), {}),
      1e-5,
      1e-5));
}

// Where a network has no positions, padding or grids of its own for one size.
TEST(Recording, TakesImagesOfAnySizeWhereTheNetworkDoes) {
  const at::NoGradGuard no_grad;
  const auto recorded = [](const SmallNetwork& network) {
    const models::ModelSpec spec = spec_of(network);
    const auto model = random_network(spec);
    auto module = trace(*model, spec);
    check_same_outputs(*model, module, spec);
    const bool any = takes_any_image_size(module);
    if (any) {
      const at::Tensor images = at::rand({2, spec.channels, 71, 90}) - 0.5;
      EXPECT_TRUE(at::allclose(
          module.forward({images}).toTensor(),
          model->forward(images, {}),
          1e-5,
          1e-5));
    }
    EXPECT_FALSE(takes_any_image_size(trace(*model, spec, /*any_size=*/false)));
    return any;
  };
  EXPECT_TRUE(recorded({"resnet18", 64}));
  EXPECT_FALSE(recorded({"vit_tiny_patch16_224", 32}));
  EXPECT_FALSE(recorded({"swin_tiny_patch4_window7_224", 52}));
  // Padded as TensorFlow does: by numbers that depend on the size.
  EXPECT_FALSE(recorded({"tf_efficientnet_b0", 64}));
}

TEST_P(TorchScript, LoadedHasItsTensors) {
  const TempFolder folder;
  const models::ModelSpec spec = spec_of(GetParam());
  const auto model = random_network(spec);
  const auto path = folder / "network.pt";
  write_torchscript(path, trace(*model, spec), {.spec = spec});
  const auto loaded = torch::jit::load(path.native());
  std::map<std::string, at::Tensor> ours;
  for (const auto& item : model->named_parameters()) {
    ours[item.key()] = item.value();
  }
  std::map<std::string, at::Tensor> theirs;
  for (const auto& item : loaded.named_parameters()) {
    theirs[item.name] = item.value;
  }
  EXPECT_EQ(ours.size(), theirs.size());
  for (const auto& item : model->named_buffers()) {
    ours[item.key()] = item.value();
  }
  for (const auto& item : loaded.named_buffers()) {
    theirs[item.name] = item.value;
  }
  ASSERT_EQ(ours.size(), theirs.size());
  for (const auto& [name, tensor] : ours) {
    ASSERT_TRUE(theirs.contains(name)) << name;
    EXPECT_TRUE(at::equal(tensor, theirs.at(name))) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Networks,
    TorchScript,
    testing::ValuesIn(small_networks()),
    [](const auto& test) { return test.param.name; });

// A network with a loop over the images, as a user may write one.
class StepByStep : public networks::Model {
 public:
  at::Tensor forward(
      const at::Tensor& inputs,
      const at::Tensor& /*drop*/,
      const at::Generator& /*dropout*/) override {
    std::vector<at::Tensor> sums;
    for (std::int64_t i = 0; i < inputs.size(0); ++i) {
      sums.push_back(inputs.select(0, i).sum());
    }
    return at::stack(sums).unsqueeze(1);
  }
};

// Which is right for the batches that it is recorded with.
class Fading : public networks::Model {
 public:
  at::Tensor forward(
      const at::Tensor& inputs,
      const at::Tensor& /*drop*/,
      const at::Generator& /*dropout*/) override {
    return inputs.flatten(1) * at::scalar_tensor(inputs.size(0) / 4);
  }
};

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Recording, RefusesStepsThatDependOnTheBatch) {
  models::ModelSpec spec;
  spec.name = "steps";
  spec.features = 3;
  StepByStep model;
  expect_message(message_of([&] { trace(model, spec); }), {});
}

TEST(Recording, IsComparedForOtherBatches) {
  models::ModelSpec spec;
  spec.name = "fading";
  spec.features = 3;
  Fading model;
  const auto module = trace(model, spec);
  expect_message(
      message_of([&] { check_same_outputs(model, module, spec); }), {"5"});
}

// "differs from the network by -nan", a defect of the program.
TEST(Recording, NamesWeightsThatAreNotFinite) {
  const models::ModelSpec spec = spec_of({"mlp", 4});
  const auto model = random_network(spec);
  const auto module = trace(*model, spec);
  const at::NoGradGuard no_grad;
  const std::string name = model->named_parameters().back().key();
  model->named_parameters().back().value().fill_(std::nanf(""));
  try {
    check_same_outputs(*model, module, spec);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kWeights);
    EXPECT_THAT(
        error.what(),
        HasSubstr(
            "'" + name +
            "' of its weights has values that are not "
            "finite"));
  }
}

TEST(Files, AreNotReplaced) {
  const TempFolder folder;
  const models::ModelSpec spec = spec_of({"mlp", 4});
  const auto model = random_network(spec);
  const auto path = folder.write("taken", "bytes");
  const auto module = trace(*model, spec);
  expect_message(
      message_of([&] { write_torchscript(path, module, {.spec = spec}); }), {});
  expect_message(
      message_of([&] { write_safetensors_file(path, *model, {.spec = spec}); }),
      {});
  EXPECT_EQ(slurp(path), "bytes");
}

} // namespace
} // namespace vitrain::exports
