#include "optim/prune.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include "core/error.h"
#include "golden.h"
#include "support/messages.h"

namespace vitrain::optim {
namespace {

// The parameters of tests/golden/optim/make_prune.py, in one group and, as the
// script has them, in the order of their names; convolutions lie in
// channels_last.
class PrunedNet {
 public:
  PrunedNet() : file_(golden("prune.json")), state_(make()) {}

  const nlohmann::json& file() const { return file_; }
  FlatState& state() { return *state_; }
  at::Tensor& at(const std::string& name) { return weights_.at(name); }

  void set_to(std::size_t number) {
    const at::NoGradGuard no_grad;
    for (auto& [name, weight] : weights_) {
      const std::vector<float> values = file_.at("values")[number].at(name);
      weight.copy_(at::tensor(values).view(weight.sizes()));
    }
  }

 private:
  std::unique_ptr<FlatState> make() {
    // Buffers have parameters in the opposite order.
    const auto& shapes = file_.at("shapes");
    for (const char* name : {"d", "c", "b", "a"}) {
      const std::string full = std::string(name) + ".weight";
      const std::vector<std::int64_t> shape = shapes.at(full);
      auto module = std::make_shared<torch::nn::Module>();
      const auto format = shape.size() == 4 ? at::MemoryFormat::ChannelsLast
                                            : at::MemoryFormat::Contiguous;
      weights_[full] =
          module->register_parameter("weight", at::empty(shape, format));
      module_.register_module(name, module);
    }
    module_.register_parameter("bias", at::ones({4}));
    return std::make_unique<FlatState>(
        module_, 0.05, std::vector<std::string>{});
  }

  nlohmann::json file_;
  torch::nn::Module module_;
  std::map<std::string, at::Tensor> weights_;
  std::unique_ptr<FlatState> state_;
};

// One pruning a step, each with the share that the file has.
PruneOptions options_of(const std::string& kind, double share) {
  return {
      .amount = share,
      .global = kind == "global",
      .rows = kind == "row",
      .start = 1,
      .end = 1};
}

TEST(Pruner, ChoosesWhatTorchChooses) {
  for (const std::string kind : {"global", "layer", "row"}) {
    PrunedNet net;
    std::map<std::string, at::Tensor> masks;
    for (std::size_t round = 0; round < 3; ++round) {
      SCOPED_TRACE(kind + " " + std::to_string(round));
      net.set_to(round);
      Pruner pruner(
          net.state(), options_of(kind, net.file().at("shares")[round]));
      pruner.load_state(masks);
      pruner.clear_weights();
      EXPECT_TRUE(pruner.prune(1));
      std::int64_t zeros = 0;
      for (const auto& [name, mask] : pruner.state()) {
        masks[name] = mask.clone();
        const std::string parameter = name.substr(name.find("mask.") + 5);
        const std::vector<int> expected =
            net.file().at("masks").at(kind)[round].at(parameter);
        EXPECT_TRUE(at::equal(
            mask.to(at::kInt).reshape({-1}), at::tensor(expected, at::kInt)))
            << parameter << "\n"
            << mask.to(at::kInt).reshape({-1});
        EXPECT_FALSE(net.at(parameter).masked_select(mask).any().item<bool>());
        zeros += mask.sum().item<std::int64_t>();
      }
      EXPECT_EQ(pruner.pruned(), zeros);
      EXPECT_EQ(pruner.weights(), 21 + 60 + 13 + 9);
    }
  }
}

// Zhu and Gupta, equation 1, from nothing to 80 % in 10 steps.
TEST(Pruner, TheShareFollowsTheCubic) {
  const PruneOptions options{.amount = 0.8, .start = 5, .end = 15, .every = 4};
  EXPECT_DOUBLE_EQ(prune_share(options, 5), 0.0);
  EXPECT_DOUBLE_EQ(prune_share(options, 9), 0.8 * (1 - 0.6 * 0.6 * 0.6));
  EXPECT_DOUBLE_EQ(prune_share(options, 15), 0.8);
  EXPECT_DOUBLE_EQ(prune_share(options, 100), 0.8);
  std::vector<std::int64_t> due;
  for (std::int64_t step = 1; step < 30; ++step) {
    if (prune_due(options, step)) {
      due.push_back(step);
    }
  }
  EXPECT_THAT(due, ::testing::ElementsAre(5, 9, 13, 15));
  // At once.
  EXPECT_DOUBLE_EQ(prune_share({.amount = 0.5, .start = 3, .end = 3}, 3), 0.5);
}

// A run that resumes with another recipe.
TEST(Pruner, WhatIsUndoneAfterTheEndIsDoneOnce) {
  PrunedNet net;
  net.set_to(0);
  Pruner pruner(net.state(), options_of("layer", 0.5));
  pruner.load_state({});
  EXPECT_TRUE(pruner.prune(7));
  EXPECT_NEAR(pruner.sparsity(), 0.5, 0.02); // of whole weights
  EXPECT_FALSE(pruner.prune(8));
}

TEST(Pruner, KeepsGradientsAndOtherBuffersAtZeroWhereWeightsAre) {
  PrunedNet net;
  net.set_to(0);
  Pruner pruner(net.state(), options_of("global", 0.5));
  std::vector<at::Tensor> buffers;
  for (FlatGroup& group : net.state().groups()) {
    group.gradients.fill_(1);
    buffers.push_back(at::ones_like(group.parameters));
  }
  pruner.clear_gradients();
  EXPECT_TRUE(net.state().groups()[0].gradients.all().item<bool>());
  EXPECT_FALSE(pruner.prune(0));
  EXPECT_TRUE(pruner.prune(1));
  pruner.clear_gradients();
  pruner.clear(buffers);
  EXPECT_EQ(pruner.pruned(), 52); // of 103: 51.5 goes to the even number
  const FlatGroup& group = net.state().groups()[0];
  EXPECT_EQ(buffers[0].eq(0).sum().item<std::int64_t>(), 52);
  EXPECT_EQ(group.gradients.eq(0).sum().item<std::int64_t>(), 52);
}

TEST(Pruner, APatternThatMatchesNothingIsNamed) {
  PrunedNet net;
  PruneOptions options = options_of("layer", 0.5);
  options.match = {"b"};
  EXPECT_EQ(Pruner(net.state(), options).weights(), 60);
  options.match = {"bias", "head"};
  try {
    const Pruner pruner(net.state(), options);
    FAIL() << "nothing thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    expect_message(error.what(), {"train.prune.match"});
  }
}

} // namespace
} // namespace vitrain::optim
