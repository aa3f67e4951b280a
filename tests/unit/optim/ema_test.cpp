#include "optim/ema.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>

#include "core/error.h"
#include "golden.h"
#include "support/messages.h"

namespace vitrain::optim {
namespace {

using NamedTensors = std::map<std::string, at::Tensor>;

// The module of tests/golden/optim/make_ema.py, and one more parameter, which
// is not trained.
class WanderingNet : public torch::nn::Module {
 public:
  WanderingNet() {
    register_parameter("weight", at::zeros({4, 3}));
    register_parameter("bias", at::zeros({5}));
    register_parameter("frozen", at::ones({2}), /*requires_grad=*/false);
    register_buffer("mean", at::zeros({5}));
    register_buffer("count", at::zeros({}, at::kLong));
  }

  void set_to(const nlohmann::json& step) {
    const at::NoGradGuard no_grad;
    for (auto& [name, tensor] : all()) {
      if (step.contains(name)) {
        const std::vector<double> values = step.at(name);
        tensor.copy_(at::tensor(values, at::kDouble).view(tensor.sizes()));
      }
    }
  }

  NamedTensors all() {
    NamedTensors tensors;
    for (const auto& item : named_parameters()) {
      tensors[item.key()] = item.value();
    }
    for (const auto& item : named_buffers()) {
      tensors[item.key()] = item.value();
    }
    return tensors;
  }
};

EmaOptions options_of(const nlohmann::json& json) {
  return {
      .decay = json.value("decay", 0.0),
      .equal = json.value("equal", false),
      .warm_up = json.value("use_warmup", false),
      .gamma = json.value("warmup_gamma", 1.0),
      .power = json.value("warmup_power", 2.0 / 3.0),
      .start = json.value("update_after_step", std::int64_t{0}),
      .average_buffers = !json.value("exclude_buffers", false)};
}

const nlohmann::json& wandering() {
  static const nlohmann::json file = golden("ema.json");
  return file;
}

void expect_average(
    const Ema& ema,
    const nlohmann::json& expected,
    double tolerance) {
  const NamedTensors state = ema.state();
  for (const auto& [tensor, numbers] : expected.items()) {
    const std::vector<double> values = numbers;
    EXPECT_TRUE(at::allclose(
        state.at(tensor).flatten().to(at::kDouble),
        at::tensor(values, at::kDouble),
        /*rtol=*/tolerance,
        /*atol=*/tolerance))
        << tensor;
  }
}

struct Averaging {
  explicit Averaging(const EmaOptions& options)
      : state(net, 0.0, {}), ema(net, state, options) {
    net.set_to(wandering().at("steps")[0]);
    ema.reset();
  }

  void step(std::size_t index) {
    net.set_to(wandering().at("steps")[index]);
    ema.update(static_cast<std::int64_t>(index));
  }

  WanderingNet net;
  FlatState state;
  Ema ema;
};

// Values are of order 1 and each averaging is one lerp, whose rounding error
// later ones shrink: another vector loop could change 2^-23.
TEST(Ema, EqualsTimmsAndTheMeanTorchs) {
  ASSERT_EQ(wandering().at("cases").size(), 9u);
  for (const auto& [name, golden_case] : wandering().at("cases").items()) {
    SCOPED_TRACE(name);
    Averaging run(options_of(golden_case.at("options")));
    for (std::size_t step = 1; step <= 50; ++step) {
      run.step(step);
      const auto found = golden_case.at("averages").find(std::to_string(step));
      if (found == golden_case.at("averages").end()) {
        continue;
      }
      SCOPED_TRACE(step);
      EXPECT_EQ(run.ema.state().size(), 5u); // buffers included
      expect_average(run.ema, *found, 0x1p-23);
    }
  }
}

// An average that is updated where the number of the step in its epoch is a
// multiple of `every`, and copies the weights until its first update after the
// warm-up. torchvision rounds three times in an update and a lerp twice, by
// 2^-23 at most of numbers below 4, in at most 50 updates; an update at another
// step would change the average by some hundredths.
TEST(Ema, CountedInEpochsIsThatOfTorchvisionsReferences) {
  const nlohmann::json file = golden("torchvision_ema.json");
  const std::int64_t epoch = file.at("steps_per_epoch");
  ASSERT_EQ(file.at("cases").size(), 5u);
  for (const auto& one : file.at("cases")) {
    const auto& words = one.at("options");
    SCOPED_TRACE(words.dump());
    const std::int64_t every = words.at("every");
    Averaging run(
        {.decay = words.at("decay"),
         .start = words.at("warmup_epochs").get<std::int64_t>() * epoch,
         .due = [=](std::int64_t step) {
           return (step - 1) % epoch % every == 0;
         }});
    for (std::size_t step = 1; step <= 50; ++step) {
      run.step(step);
      const auto found = one.at("averages").find(std::to_string(step));
      if (found != one.at("averages").end()) {
        SCOPED_TRACE(step);
        expect_average(run.ema, *found, 50 * 5 * 0x1p-23);
      }
    }
    EXPECT_EQ(
        run.ema.averagings(),
        averagings_until(
            {.start = words.at("warmup_epochs").get<std::int64_t>() * epoch,
             .due =
                 [=](std::int64_t step) {
                   return (step - 1) % epoch % every == 0;
                 }},
            50));
  }
}

TEST(Ema, TheDecayCountsAveragings) {
  const EmaOptions options{
      .decay = 0.99, .warm_up = true, .start = 10, .every = 5};
  EXPECT_EQ(ema_decay(options, 0), 0.0);
  EXPECT_DOUBLE_EQ(ema_decay(options, 7), 0.75); // 1 - 8^(-2/3)
  EXPECT_EQ(ema_decay(options, 100000), 0.99);
  EXPECT_EQ(averagings_until(options, 14), 0);
  EXPECT_EQ(averagings_until(options, 15), 1);
  EXPECT_EQ(averagings_until(options, 24), 2);
  EXPECT_EQ(averagings_until({.start = 7, .every = 5}, 10), 1);
  EXPECT_EQ(averagings_until({}, 9), 9);
}

// Skipped steps do not reach the average.
TEST(Ema, TheMeanIsOfTheStepsThatWereMade) {
  Averaging run({.equal = true, .start = 4, .every = 2});
  at::Tensor sum;
  for (const std::size_t step : {2, 3, 4, 5, 6, 10, 11, 16}) {
    run.step(step);
    if (step > 4 && step % 2 == 0) {
      const at::Tensor now = run.net.all().at("weight").to(at::kDouble);
      sum = sum.defined() ? sum + now : now;
    }
  }
  EXPECT_EQ(run.ema.averagings(), 3);
  EXPECT_TRUE(at::allclose(
      run.ema.state().at("weight").to(at::kDouble),
      sum / 3.0,
      /*rtol=*/1e-6,
      /*atol=*/1e-6));
}

// A resumed run may start averaging late.
TEST(Ema, BeginsWithACopyWheneverItBegins) {
  Averaging run({.equal = true});
  run.step(40);
  EXPECT_TRUE(at::equal(
      run.ema.state().at("weight"), run.net.all().at("weight").detach()));
}

TEST(Ema, StepsBetweenAveragingsChangeNothing) {
  Averaging run({.decay = 0.5, .every = 3});
  run.step(3);
  const at::Tensor before = run.ema.state().at("weight").clone();
  run.step(4);
  run.step(5);
  EXPECT_TRUE(at::equal(run.ema.state().at("weight"), before));
  run.step(6);
  EXPECT_FALSE(at::equal(run.ema.state().at("weight"), before));
}

TEST(Ema, InPlaceTheModuleHasTheAveragesAndThenItsOwnAgain) {
  Averaging run({.decay = 0.9});
  for (std::size_t step = 1; step <= 20; ++step) {
    run.step(step);
  }
  NamedTensors own;
  for (const auto& [name, tensor] : run.net.all()) {
    own[name] = tensor.detach().clone();
  }
  NamedTensors averages;
  for (const auto& [name, tensor] : run.ema.state()) {
    averages[name] = tensor.clone();
  }
  EXPECT_FALSE(at::equal(own.at("weight"), averages.at("weight")));
  {
    const Ema::InPlace in_place(run.ema);
    for (const auto& [name, tensor] : run.net.all()) {
      EXPECT_TRUE(at::equal(tensor, averages.at(name))) << name;
    }
  }
  for (const auto& [name, tensor] : run.net.all()) {
    EXPECT_TRUE(at::equal(tensor, own.at(name))) << name;
  }
  run.state.check_model(run.net); // training can continue
  run.step(21);
  EXPECT_FALSE(at::equal(run.ema.state().at("mean"), averages.at("mean")));
}

TEST(Ema, GoesOnBitForBitFromItsState) {
  const EmaOptions options{.decay = 0.99, .warm_up = true};
  Averaging whole(options);
  Averaging second(options);
  for (std::size_t step = 1; step <= 30; ++step) {
    whole.step(step);
    if (step == 12) {
      NamedTensors saved;
      for (const auto& [name, tensor] : whole.ema.state()) {
        saved[name] = tensor.clone();
      }
      second.ema.load_state(saved, whole.ema.averagings());
    } else if (step > 12) {
      second.step(step);
    }
  }
  for (const auto& [name, tensor] : whole.ema.state()) {
    EXPECT_TRUE(at::equal(tensor, second.ema.state().at(name))) << name;
  }
}

TEST(Ema, AStateThatLacksSomethingIsRefused) {
  Averaging run({});
  NamedTensors state = run.ema.state();
  state.erase("mean");
  try {
    run.ema.load_state(state, 0);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kWeights);
    expect_message(error.what(), {"'mean'"});
  }
}

} // namespace
} // namespace vitrain::optim
