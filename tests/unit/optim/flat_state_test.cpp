#include "optim/flat_state.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include "core/error.h"
#include "support/errors.h"
#include "support/messages.h"

namespace vitrain::optim {
namespace {

using ::testing::ElementsAre;

const std::vector<std::string> kNoDecay{"bias", "norm", "cls_token"};

// Parameters of awkward sizes, in order of definition.
class Net : public torch::nn::Module {
 public:
  Net() {
    add("cls_token", {1, 1, 3});
    add("embed_weight", {3, 5});
    add("norm_weight", {17});
    add("fc_weight", {4, 4});
    add("bias", {1});
  }

  at::Tensor operator[](const std::string& name) const {
    return named_parameters()[name];
  }

 private:
  void add(const std::string& name, at::IntArrayRef sizes) {
    at::Tensor values = at::zeros(sizes);
    register_parameter(
        name,
        values.add_(
            at::arange(values.numel()).view(sizes).add(++count_ * 100)));
  }

  double count_ = 0;
};

std::vector<std::string> names_of(const FlatGroup& group) {
  std::vector<std::string> names;
  for (const Segment& segment : group.segments) {
    names.push_back(segment.name);
  }
  return names;
}

// 1 where a parameter lies, 0 in the gaps.
at::Tensor occupied(const FlatGroup& group) {
  const at::Tensor mask = at::zeros_like(group.parameters);
  for (const Segment& segment : group.segments) {
    mask.narrow(0, segment.offset, segment.parameter.numel()).add_(1);
  }
  return mask;
}

TEST(FlatState, GroupsParametersInReverseOrderOfDefinition) {
  Net net;
  const FlatState state(net, 0.05, kNoDecay);
  ASSERT_EQ(state.groups().size(), 2U);
  EXPECT_EQ(state.groups()[0].name, "decay");
  EXPECT_EQ(state.groups()[0].weight_decay, 0.05);
  EXPECT_THAT(
      names_of(state.groups()[0]), ElementsAre("fc_weight", "embed_weight"));
  EXPECT_EQ(state.groups()[1].name, "no_decay");
  EXPECT_EQ(state.groups()[1].weight_decay, 0.0);
  EXPECT_THAT(
      names_of(state.groups()[1]),
      ElementsAre("bias", "norm_weight", "cls_token"));
  EXPECT_EQ(state.parameter_count(), 3 + 15 + 17 + 16 + 1);
}

TEST(FlatState, KeepsValuesAndMakesParametersViewsOfTheBuffers) {
  Net net;
  const Net original;
  FlatState state(net, 0.05, kNoDecay);
  std::int64_t seen = 0;
  for (const FlatGroup& group : state.groups()) {
    EXPECT_TRUE(group.parameters.is_contiguous());
    EXPECT_FALSE(group.parameters.requires_grad());
    EXPECT_EQ(group.gradients.sizes(), group.parameters.sizes());
    for (const Segment& segment : group.segments) {
      const at::Tensor parameter = net[segment.name];
      EXPECT_TRUE(parameter.is_leaf());
      EXPECT_TRUE(parameter.requires_grad());
      EXPECT_TRUE(at::equal(parameter, original[segment.name]));
      EXPECT_TRUE(parameter.is_same(segment.parameter));
      EXPECT_EQ(
          parameter.data_ptr<float>(),
          group.parameters.data_ptr<float>() + segment.offset);
      EXPECT_EQ(
          parameter.grad().data_ptr<float>(),
          group.gradients.data_ptr<float>() + segment.offset);
      EXPECT_EQ(parameter.grad().sizes(), parameter.sizes());
      ++seen;
    }
  }
  EXPECT_EQ(seen, 5);
  // A write into the buffer is a write into the module.
  state.groups()[0].parameters.fill_(7.0);
  EXPECT_TRUE(at::equal(net["fc_weight"], at::full({4, 4}, 7.0)));
}

TEST(FlatState, StartsSegmentsAt64BytesAndKeepsGapsZero) {
  Net net;
  FlatState state(net, 0.05, kNoDecay);
  for (FlatGroup& group : state.groups()) {
    std::int64_t end = 0;
    for (const Segment& segment : group.segments) {
      EXPECT_EQ(segment.offset % 16, 0);
      EXPECT_GE(segment.offset, end);
      EXPECT_LT(segment.offset - end, 16) << "no more gap than needed";
      end = segment.offset + segment.parameter.numel();
    }
    EXPECT_GE(group.parameters.numel(), end);
    EXPECT_EQ(occupied(group).max().item<float>(), 1.0F) << "overlap";
    const at::Tensor gaps = occupied(group).eq(0);
    EXPECT_TRUE(group.parameters.masked_select(gaps).eq(0).all().item<bool>());
  }
}

TEST(FlatState, AccumulatesBackwardIntoTheBuffers) {
  Net net;
  FlatState state(net, 0.05, kNoDecay);
  for (int pass = 1; pass <= 2; ++pass) {
    at::Tensor loss = at::zeros({});
    for (const auto& item : net.named_parameters()) {
      loss = loss + item.value().sum() * 2.0;
    }
    loss.backward();
    for (FlatGroup& group : state.groups()) {
      EXPECT_TRUE(at::equal(group.gradients, occupied(group) * (2.0 * pass)));
    }
  }
  state.zero_gradients();
  for (FlatGroup& group : state.groups()) {
    EXPECT_FALSE(group.gradients.any().item<bool>());
  }
  EXPECT_EQ(
      net["bias"].grad().data_ptr<float>(),
      state.groups()[1].gradients.data_ptr<float>());
}

TEST(FlatState, LeavesFrozenParametersOut) {
  Net net;
  net["norm_weight"].requires_grad_(false);
  net["cls_token"].requires_grad_(false);
  const void* place = net["norm_weight"].data_ptr();
  const FlatState state(net, 0.05, kNoDecay);
  EXPECT_THAT(names_of(state.groups()[1]), ElementsAre("bias"));
  EXPECT_EQ(state.parameter_count(), 32);
  EXPECT_EQ(net["norm_weight"].data_ptr(), place);
  EXPECT_FALSE(net["norm_weight"].grad().defined());
}

TEST(FlatState, HasNoEmptyGroups) {
  Net all_decay;
  const FlatState decay(all_decay, 0.05, {});
  ASSERT_EQ(decay.groups().size(), 1U);
  EXPECT_EQ(decay.groups()[0].name, "decay");

  Net only_bias;
  for (at::Tensor& parameter : only_bias.parameters()) {
    parameter.requires_grad_(parameter.numel() == 1);
  }
  const FlatState no_decay(only_bias, 0.05, kNoDecay);
  ASSERT_EQ(no_decay.groups().size(), 1U);
  EXPECT_EQ(no_decay.groups()[0].name, "no_decay");
}

TEST(FlatState, KeepsTheMemoryOrderOfParameters) {
  torch::nn::Module module;
  const at::Tensor values = at::arange(24, at::kFloat).view({2, 3, 2, 2});
  const at::Tensor last = values.contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor weight = module.register_parameter("weight", last.clone());
  const FlatState state(module, 0.05, {});
  const FlatGroup& group = state.groups()[0];
  EXPECT_TRUE(at::equal(weight, values));
  EXPECT_EQ(weight.data_ptr(), group.parameters.data_ptr());
  EXPECT_EQ(weight.strides(), last.strides());
  EXPECT_EQ(weight.grad().strides(), last.strides());
  EXPECT_EQ(weight.grad().data_ptr(), group.gradients.data_ptr());
  const at::Tensor in_order = last.permute({0, 2, 3, 1}).flatten();
  EXPECT_TRUE(at::equal(group.parameters.narrow(0, 0, 24), in_order));
  EXPECT_TRUE(at::equal(group.segments[0].in(group.parameters), values));
  EXPECT_TRUE(at::equal(group.segments[0].flat(values), in_order));
  state.check_model(module);
}

TEST(FlatState, MakesParametersWithGapsDense) {
  torch::nn::Module module;
  const at::Tensor values = at::arange(24, at::kFloat).view({4, 6});
  const at::Tensor weight = module.register_parameter(
      "weight", values.clone().slice(/*dim=*/1, 0, 6, /*step=*/2));
  const FlatState state(module, 0.05, {});
  EXPECT_TRUE(at::equal(weight, values.slice(1, 0, 6, 2)));
  EXPECT_TRUE(weight.is_contiguous());
  EXPECT_EQ(state.parameter_count(), 12);
}

// Message of the Error that `call` throws; empty when it throws none.
template <typename Call>
std::string refusal(Call&& call) {
  return error_of(ExitCode::kInternal, [&] { call(); });
}

TEST(FlatState, RefusesAModelWithoutTrainableParameters) {
  torch::nn::Module empty;
  expect_message(refusal([&] { FlatState(empty, 0.05, {}); }), {});
  Net frozen;
  for (at::Tensor& parameter : frozen.parameters()) {
    parameter.requires_grad_(false);
  }
  expect_message(refusal([&] { FlatState(frozen, 0.05, {}); }), {});
}

TEST(FlatState, RefusesParametersThatAreNotSinglePrecision) {
  torch::nn::Module module;
  module.register_parameter("gate", at::zeros({2}, at::kBFloat16));
  expect_message(refusal([&] { FlatState(module, 0.05, {}); }), {});
}

TEST(FlatState, RefusesOneParameterUnderTwoNames) {
  torch::nn::Module module;
  const at::Tensor shared = module.register_parameter("one", at::zeros({2}));
  module.register_parameter("two", shared);
  const std::string message = refusal([&] { FlatState(module, 0.05, {}); });
  expect_message(message, {});
  expect_message(message, {});
}

TEST(NoDecay, KnowsBiasesNormsAndTheEndsOfNames) {
  struct Case {
    std::string name;
    std::int64_t dimensions;
    std::vector<std::string> rules;
    bool expected;
  };
  const std::vector<Case> cases{
      {"bias", 1, {"bias"}, true},
      {"blocks.0.attn.qkv.bias", 1, {"bias"}, true},
      {"blocks.0.norm1.bias", 1, {"norm"}, false},
      {"blocks.0.norm1.bias", 1, {"norm", "bias"}, true},
      {"blocks.0.norm1.weight", 1, {"norm"}, true},
      {"blocks.0.norm1.weight", 1, {"bias"}, false},
      {"layer1.0.bn1.weight", 1, {"norm"}, true},
      {"scale", 0, {"norm"}, true},
      {"norm.weight", 2, {"norm"}, false},
      {"blocks.0.attn.qkv.weight", 2, {"bias", "norm"}, false},
      {"attn.relative_bias", 2, {"bias"}, false},
      {"cls_token", 3, {"cls_token"}, true},
      {"encoder.cls_token", 3, {"cls_token"}, true},
      {"my_cls_token", 3, {"cls_token"}, false},
      {"cls_token.weight", 3, {"cls_token"}, false},
      {"head.fc.weight", 2, {"fc.weight"}, true},
      {"head.weight", 2, {}, false},
      {"head.weight", 2, {""}, false},
      {"head.bias", 1, {"weight", "head.bias"}, true}};
  for (const Case& sample : cases) {
    EXPECT_EQ(
        is_no_decay(sample.name, sample.dimensions, sample.rules),
        sample.expected)
        << sample.name << " under " << sample.rules.size() << " rules";
  }
}

// Returns the message if the model is changed by `change` after its state was
// saved.
template <typename Change>
std::string refusal_after(Change&& change) {
  Net net;
  net["norm_weight"].set_requires_grad(false);
  const FlatState state(net, 0.05, kNoDecay);
  state.check_model(net);
  change(net);
  return error_of(ExitCode::kInternal, [&] { state.check_model(net); });
}

TEST(FlatState, NamesTheParameterThatWasChangedAfterwards) {
  EXPECT_EQ(refusal_after([](Net&) {}), "");
  expect_message(
      refusal_after(
          [](Net& net) { net.register_parameter("gate", at::ones({2})); }),
      {});
  expect_message(
      refusal_after([](Net& net) { net["bias"].set_requires_grad(false); }),
      {});
  expect_message(
      refusal_after(
          [](Net& net) { net["norm_weight"].set_requires_grad(true); }),
      {"norm_weight"});
  expect_message(
      refusal_after([](Net& net) {
        net["fc_weight"].set_data(at::zeros({2, 8}));
      }),
      {"fc_weight"});
  expect_message(
      refusal_after([](Net& net) {
        net["fc_weight"].set_data(at::zeros({4, 4}));
      }),
      {"fc_weight"});
}

TEST(FlatState, SharesCoverTheParametersOnce) {
  for (const std::int64_t count : {1, 2, 3, 7}) {
    for (std::int64_t index = 0; index < count; ++index) {
      Net net;
      const Net original;
      const FlatState state(
          net, 0.05, kNoDecay, {.index = index, .count = count});
      for (const FlatGroup& group : state.groups()) {
        EXPECT_EQ(group.shares.numel(), count * group.share_size);
        EXPECT_EQ(group.share_size % 16, 0);
        EXPECT_GE(group.shares.numel(), group.parameters.numel());
        EXPECT_EQ(group.shares.data_ptr(), group.parameters.data_ptr());
        EXPECT_EQ(
            group.own_begin,
            std::min(index * group.share_size, group.parameters.numel()));
        EXPECT_EQ(
            group.own_begin + group.own_size,
            std::min((index + 1) * group.share_size, group.parameters.numel()));
      }
      EXPECT_TRUE(at::equal(net["fc_weight"], original["fc_weight"]));
    }
  }
}

} // namespace
} // namespace vitrain::optim
