#include "optim/rules/optimizers.h"

#include <cmath>
#include <limits>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "golden.h"
#include "optim/grouping.h"
#include "support/messages.h"

namespace vitrain::optim {
namespace {

const nlohmann::json& trajectories() {
  static const nlohmann::json file = golden("trajectories.json");
  return file;
}
// 50 steps of each rule, of which vectors go half as fast.
const nlohmann::json& rules() {
  static const nlohmann::json file = golden("optimizers.json");
  return file;
}

std::vector<std::string> all_variants() {
  std::vector<std::string> names;
  for (const nlohmann::json* file : {&trajectories(), &rules()}) {
    for (const auto& item : file->at("variants").items()) {
      names.push_back(item.key());
    }
  }
  return names;
}

const nlohmann::json& file_of(const std::string& variant) {
  return rules().at("variants").contains(variant) ? rules() : trajectories();
}

config::OptimConfig options_of(const std::string& variant) {
  const nlohmann::json& json =
      file_of(variant).at("variants").at(variant).at("options");
  config::OptimConfig options;
  options.name =
      value_of<config::OptimKind>(json.at("name").get<std::string>()).value();
  options.weight_decay =
      json.value("weight_decay", rules().at("weight_decay").get<double>());
  const auto set = [&](const char* key, auto& member) {
    if (json.contains(key)) {
      member = json.at(key)
                   .get<typename std::decay_t<decltype(member)>::value_type>();
    }
  };
  set("betas", options.betas);
  set("eps", options.eps);
  set("momentum", options.momentum);
  set("alpha", options.alpha);
  options.nesterov = json.value("nesterov", false);
  options.decoupled = json.value("decoupled", false);
  options.cautious = json.value("cautious", false);
  options.trust_coefficient =
      json.value("trust_coefficient", options.trust_coefficient);
  if (json.contains("lookahead")) {
    options.lookahead.every = json.at("lookahead")[0];
    options.lookahead.alpha = json.at("lookahead")[1];
  }
  options.no_decay = {"bias", "norm"};
  return options;
}

// A net and its optimizer, stepped through the recorded gradients.
struct Training {
  explicit Training(const std::string& variant)
      : Training(options_of(variant), file_of(variant)) {}
  explicit Training(
      const config::OptimConfig& options,
      const nlohmann::json& the_file = trajectories(),
      const Share& share = {})
      : file(the_file),
        net(
            &file == &rules() ? "optimizers.json" : "trajectories.json",
            [&](const std::string& name, at::IntArrayRef shape) {
              GroupSettings group = grouping_of(options)(name, shape);
              group.lr_scale =
                  shape.size() <= 1 ? file.value("scale_of_vectors", 1.0) : 1.0;
              return group;
            },
            share),
        optimizer(make_optimizer(net.state(), options)) {}

  void step(std::size_t index) {
    net.state().zero_gradients();
    net.accumulate(file.at("gradients")[index]);
    optimizer->step(file.at("lr")[index], at::zeros({}));
  }

  const nlohmann::json& file;
  GoldenNet net;
  std::unique_ptr<Optimizer> optimizer;
};

using NamedTensors = std::map<std::string, at::Tensor>;

NamedTensors copy_of(const NamedTensors& tensors) {
  NamedTensors copy;
  for (const auto& [name, tensor] : tensors) {
    copy[name] = tensor.clone();
  }
  return copy;
}

void expect_equal(const NamedTensors& one, const NamedTensors& other) {
  ASSERT_EQ(one.size(), other.size());
  for (const auto& [name, tensor] : one) {
    ASSERT_TRUE(other.contains(name)) << name;
    EXPECT_TRUE(at::equal(tensor, other.at(name))) << name;
  }
}

// Weights, moments and updates are of the order of 1. A step rounds the weight
// once and its update, a small fraction of it, a few times: together less than
// 2^-23 of the larger of 1 and the largest weight. `rounded`: the error of a
// file with fewer digits.
void expect_on_trajectory(
    const std::string& variant,
    double share = 1.0,
    double rounded = 0.0) {
  SCOPED_TRACE(variant);
  Training run(variant);
  const auto& weights = run.file.at("variants").at(variant).at("weights");
  std::size_t compared = 0;
  for (std::size_t step = 0; step < run.file.at("lr").size(); ++step) {
    run.step(step);
    if (!weights.contains(std::to_string(step))) {
      continue;
    }
    const NamedValues expected = weights.at(std::to_string(step));
    for (const auto& [name, weight] : run.net.weights()) {
      const at::Tensor exact = at::tensor(expected.at(name), at::kDouble);
      const double largest = std::max(1.0, exact.abs().max().item<double>());
      const double error = (weight - exact).abs().max().item<double>();
      EXPECT_LE(
          error,
          (share * static_cast<double>(step + 1) * 0x1p-23 + rounded) * largest)
          << name << " after step " << step;
      ++compared;
    }
  }
  EXPECT_EQ(compared, weights.size() * run.net.weights().size());
}

TEST(AdamW, FollowsTorchOptim) {
  expect_on_trajectory("adamw");
  expect_on_trajectory("adamw_other_betas");
  expect_on_trajectory("adamw_no_decay");
}

TEST(Sgd, FollowsTorchOptim) {
  expect_on_trajectory("sgd_plain");
  expect_on_trajectory("sgd_l2");
  expect_on_trajectory("sgd_momentum");
  expect_on_trajectory("sgd_nesterov");
}

// Checks the reference of optim.weight_decay. Without gradients a rule with
// decoupled decay only shrinks weights; other rules treat the decay as a
// gradient, and scale it or give it momentum.
TEST(Optimizer, DecayIsDecoupledWhereItsRowSaysSo) {
  constexpr double kLr = 0.1;
  constexpr double kDecay = 0.5;
  for (const auto& [kind, name] : names_of(config::OptimKind{})) {
    SCOPED_TRACE(name);
    config::OptimConfig options{.name = kind, .weight_decay = kDecay};
    Training run(options);
    const auto before = run.net.weights();
    for (int step = 0; step < 2; ++step) {
      run.net.state().zero_gradients();
      run.optimizer->step(kLr, at::zeros({}));
    }
    const double kept = kind == config::OptimKind::kAdan
        ? 1.0 / (1.0 + kLr * kDecay)
        : 1.0 - kLr * kDecay;
    double error = 0.0;
    for (const auto& [tensor, weight] : run.net.weights()) {
      const at::Tensor& start = before.at(tensor);
      if (!weight.equal(start)) { // else it is exempt
        const at::Tensor wrong = (weight - kept * kept * start).abs();
        error = std::max(error, wrong.max().item<double>());
      }
    }
    // Two roundings of weights of the order of 1, or another step.
    EXPECT_EQ(error < 1e-6, row_of(kind).decoupled) << error;
  }
}

// Compares all other rules with the classes of torch and timm.
TEST(Optimizer, EachRuleFollowsItsOriginal) {
  constexpr double kDigits = 5e-8; // half of the eighth, of less than 10
  for (const auto& item : rules().at("variants").items()) {
    // Five polynomials of fifth degree multiply what rounding does to a matrix
    // of Muon.
    const double share = item.key().starts_with("muon") ? 10.0 : 1.0;
    expect_on_trajectory(item.key(), share, kDigits);
  }
}

// With products in bf16: no farther from timm's result with these than that is
// from the exact one.
TEST(Muon, MultipliesInBf16WhereAsked) {
  Training run("muon");
  run.optimizer->multiply_in(at::kBFloat16);
  run.step(0);
  const NamedValues rounded = rules().at("muon_in_bf16");
  const NamedValues exact =
      rules().at("variants").at("muon").at("weights").at("0");
  int differing = 0;
  for (const auto& [name, weight] : run.net.weights()) {
    const at::Tensor theirs = at::tensor(rounded.at(name), at::kDouble);
    const double allowed = (theirs - at::tensor(exact.at(name), at::kDouble))
                               .abs()
                               .max()
                               .item<double>();
    EXPECT_LE((weight - theirs).abs().max().item<double>(), allowed + 0x1p-22)
        << name;
    differing += allowed > 1e-6 ? 1 : 0;
  }
  EXPECT_EQ(differing, 2); // matrices of several rows
}

// A group that waits does not change, and then starts as in a first step.
TEST(Optimizer, AGroupThatWaitedStartsAsInAFirstStep) {
  for (const char* variant : {"adamw_groups", "nadamw", "adafactor", "muon"}) {
    SCOPED_TRACE(variant);
    Training late(variant);
    Training straight(variant);
    for (FlatGroup& group : late.net.state().groups()) {
      group.from_epoch = group.exempt ? 2 : 1;
    }
    const auto start = late.net.weights();
    late.net.state().set_epoch(1);
    late.step(0);
    late.step(1);
    const auto waited = late.net.weights();
    EXPECT_TRUE(
        at::equal(waited.at("blocks.0.fc.bias"), start.at("blocks.0.fc.bias")));
    EXPECT_FALSE(at::equal(
        waited.at("blocks.0.fc.weight"), start.at("blocks.0.fc.weight")));
    // A checkpoint meanwhile.
    late.optimizer->load_state(copy_of(late.optimizer->state()));
    late.net.state().set_epoch(2);
    for (std::size_t step = 0; step < 3; ++step) {
      late.step(step);
      straight.step(step);
    }
    for (const char* name : {"blocks.0.fc.bias", "blocks.0.norm.weight"}) {
      EXPECT_TRUE(at::equal(
          late.net.weights().at(name), straight.net.weights().at(name)))
          << name;
    }
  }
}

// A group after its last epoch does not change, not even by weight decay or
// momentum.
TEST(Optimizer, AGroupStopsBehindItsLastEpoch) {
  Training run("sgd_nesterov");
  for (FlatGroup& group : run.net.state().groups()) {
    if (group.exempt) {
      group.until_epoch = 2;
    }
  }
  for (std::size_t step = 0; step < 3; ++step) {
    const auto before = run.net.weights();
    run.net.state().set_epoch(static_cast<std::int64_t>(step) + 1);
    run.step(step);
    const auto after = run.net.weights();
    const char* bias = "blocks.0.fc.bias";
    EXPECT_EQ(at::equal(after.at(bias), before.at(bias)), step == 2) << step;
    EXPECT_FALSE(at::equal(
        after.at("blocks.0.fc.weight"), before.at("blocks.0.fc.weight")))
        << step;
  }
}

TEST(Optimizer, KeepsGapsOfTheBuffersZero) {
  for (const std::string& variant : all_variants()) {
    Training run(variant);
    for (std::size_t step = 0; step < 3; ++step) {
      run.step(step);
    }
    for (const FlatGroup& group : run.net.state().groups()) {
      at::Tensor gaps = group.parameters.clone();
      for (const Segment& segment : group.segments) {
        gaps.narrow(0, segment.offset, segment.parameter.numel()).zero_();
      }
      EXPECT_FALSE(gaps.any().item<bool>()) << variant;
    }
  }
}

// A skipped step leaves no trace: not in weights, moments or step count.
TEST(Optimizer, ChangesNothingWhereGradientsAreNotFinite) {
  for (const std::string& variant : all_variants()) {
    SCOPED_TRACE(variant);
    Training clean(variant);
    Training disturbed(variant);
    for (std::size_t step = 0; step < 6; ++step) {
      if (step == 0 || step == 3) {
        const auto weights = disturbed.net.weights();
        const auto state = copy_of(disturbed.optimizer->state());
        for (FlatGroup& group : disturbed.net.state().groups()) {
          group.gradients.fill_(std::numeric_limits<float>::quiet_NaN());
        }
        disturbed.optimizer->step(0.1, at::ones({}));
        expect_equal(disturbed.net.weights(), weights);
        expect_equal(disturbed.optimizer->state(), state);
      }
      clean.step(step);
      disturbed.step(step);
    }
    expect_equal(disturbed.net.weights(), clean.net.weights());
    expect_equal(disturbed.optimizer->state(), clean.optimizer->state());
    EXPECT_EQ(disturbed.optimizer->state().at("step").item<std::int64_t>(), 6);
  }
}

// One weight in either memory order, trained by the same gradients.
struct OneWeight {
  explicit OneWeight(at::MemoryFormat format, const Share& share = {})
      : weight(module.register_parameter(
            "weight",
            at::arange(2 * 5 * 3 * 3, at::kFloat)
                .view({2, 5, 3, 3})
                .contiguous(format)
                .clone())),
        state(module, 0.05, {}, share),
        optimizer(make_optimizer(state, {})) {}

  void step(int number) {
    weight.grad().copy_(
        (at::arange(90, at::kFloat) + number).sin().view({2, 5, 3, 3}));
    optimizer->step(0.1, at::zeros({}));
  }

  torch::nn::Module module;
  at::Tensor weight;
  FlatState state;
  std::unique_ptr<Optimizer> optimizer;
};

// But for moments by row and column, and for what muon divides between two
// rules.
TEST(Optimizer, EachKeepsTheStateThatItsRowCounts) {
  for (const std::string& name : all_names<config::OptimKind>()) {
    for (const double momentum : {0.0, 0.9}) {
      config::OptimConfig options;
      options.name = value_of<config::OptimKind>(name).value();
      options.momentum = momentum;
      options.lookahead.every = 3;
      if (name == "adafactor" || name == "muon") {
        continue;
      }
      Training training(options);
      std::int64_t values = 0;
      for (const at::Tensor& buffer : training.optimizer->buffers()) {
        values += buffer.numel();
      }
      std::int64_t shares = 0;
      for (const FlatGroup& group : training.net.state().groups()) {
        shares += group.share_size;
      }
      EXPECT_EQ(values, shares * state_values(options))
          << name << " with momentum " << momentum;
    }
  }
}

// Files store the logical order: a state of one memory order continues in the
// other, also if several workers share it.
TEST(Optimizer, StateDoesNotDependOnTheMemoryOrderOfParameters) {
  OneWeight first(at::MemoryFormat::Contiguous);
  OneWeight last(at::MemoryFormat::ChannelsLast);
  for (int number = 0; number < 3; ++number) {
    first.step(number);
    last.step(number);
  }
  EXPECT_TRUE(at::equal(first.weight, last.weight));
  expect_equal(first.optimizer->state(), last.optimizer->state());

  const auto saved = copy_of(first.optimizer->state());
  for (std::int64_t index = 0; index < 2; ++index) {
    OneWeight half(
        at::MemoryFormat::ChannelsLast, {.index = index, .count = 2});
    const FlatGroup& group = half.state.groups()[0];
    half.optimizer->load_state(saved);
    const at::Tensor whole = at::zeros_like(group.shares);
    whole.narrow(0, 0, 90).copy_(
        group.segments[0].flat(saved.at("weight.exp_avg")));
    EXPECT_TRUE(at::equal(
        half.optimizer->buffers()[0].narrow(0, 0, group.own_size),
        whole.narrow(0, group.own_begin, group.own_size)));
  }
}

TEST(Optimizer, NamesItsStateByParameterAndBuffer) {
  Training adamw("adamw");
  adamw.step(0);
  const auto state = adamw.optimizer->state();
  EXPECT_EQ(state.size(), 2U * 6U + 1U);
  EXPECT_EQ(state.at("step").scalar_type(), at::kLong);
  EXPECT_EQ(state.at("step").item<std::int64_t>(), 1);
  for (const char* name :
       {"blocks.0.fc.weight.exp_avg", "blocks.0.fc.weight.exp_avg_sq"}) {
    EXPECT_EQ(state.at(name).sizes(), at::IntArrayRef({5, 4})) << name;
    EXPECT_TRUE(state.at(name).any().item<bool>()) << name;
  }

  Training momentum("sgd_momentum");
  momentum.step(0);
  EXPECT_EQ(momentum.optimizer->state().size(), 6U + 1U);
  EXPECT_EQ(
      momentum.optimizer->state().at("embed.weight.momentum_buffer").sizes(),
      at::IntArrayRef({3, 2, 2, 1}));

  Training plain("sgd_plain");
  plain.step(0);
  EXPECT_EQ(plain.optimizer->state().size(), 1U);
}

// Weights and state copied into a new network and optimizer continue bit for
// bit.
TEST(Optimizer, ContinuesBitForBitFromItsState) {
  for (const std::string& variant : all_variants()) {
    SCOPED_TRACE(variant);
    Training straight(variant);
    for (std::size_t step = 0; step < 9; ++step) {
      straight.step(step);
    }
    Training resumed(variant);
    resumed.step(20); // whatever was there is replaced
    for (std::size_t i = 0; i < resumed.net.state().groups().size(); ++i) {
      resumed.net.state().groups()[i].parameters.copy_(
          straight.net.state().groups()[i].parameters);
    }
    resumed.optimizer->load_state(copy_of(straight.optimizer->state()));
    expect_equal(resumed.optimizer->state(), straight.optimizer->state());
    for (std::size_t step = 9; step < 24; ++step) {
      straight.step(step);
      resumed.step(step);
    }
    expect_equal(resumed.net.weights(), straight.net.weights());
    expect_equal(resumed.optimizer->state(), straight.optimizer->state());
    EXPECT_EQ(resumed.optimizer->state().at("step").item<std::int64_t>(), 24);
  }
}

// Settings are the recipe's, not the checkpoint's: state() holds none of them.
TEST(Optimizer, KeepsItsOwnSettingsWhenItLoadsState) {
  Training first("adamw");
  first.step(0);
  Training other("adamw_other_betas");
  other.optimizer->load_state(copy_of(first.optimizer->state()));
  const double before = first.optimizer->state()
                            .at("head.weight.exp_avg")
                            .flatten()[0]
                            .item<double>();
  const NamedValues gradients = trajectories().at("gradients")[1];
  const double gradient = gradients.at("head.weight")[0];
  other.step(1);
  const double after = other.optimizer->state()
                           .at("head.weight.exp_avg")
                           .flatten()[0]
                           .item<double>();
  // beta 0.8, not the 0.9 of the run that wrote the state; one fused update
  // rounds at most four times.
  EXPECT_NEAR(after, 0.8 * before + 0.2 * gradient, 4 * 0x1p-24);
  EXPECT_EQ(other.optimizer->state().at("step").item<std::int64_t>(), 2);
}

// Message of the Error that load_state() throws.
std::string refusal(Training& run, const NamedTensors& state) {
  const NamedTensors before = copy_of(run.optimizer->state());
  try {
    run.optimizer->load_state(state);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kWeights);
    expect_equal(run.optimizer->state(), before);
    return error.what();
  }
  ADD_FAILURE() << "the state was accepted";
  return "";
}

TEST(Optimizer, RefusesStateThatDoesNotFitAndKeepsItsOwn) {
  Training run("adamw");
  run.step(0);
  Training later("adamw");
  later.step(1);
  later.step(2);
  const NamedTensors good = copy_of(later.optimizer->state());

  NamedTensors state = good;
  state.erase("head.weight.exp_avg");
  expect_message(refusal(run, state), {"'head.weight.exp_avg'"});

  state = good;
  state["tail.weight.exp_avg"] = at::zeros({1});
  expect_message(
      refusal(run, state),
      {"'tail.weight.exp_avg'", "model.freeze", "optim.groups", "from_epoch"});

  state = good;
  state["head.weight.exp_avg"] = at::zeros({17, 1});
  const std::string message = refusal(run, state);
  expect_message(message, {"'head.weight.exp_avg'"});
  expect_message(message, {"17"});
  expect_message(message, {"17"});

  state = good;
  state.erase("step");
  expect_message(refusal(run, state), {"'step'"});

  // A name that another optimizer wrote.
  Training sgd("sgd_momentum");
  expect_message(refusal(sgd, good), {"blocks.0.fc.bias.exp_avg"});
}

} // namespace
} // namespace vitrain::optim
