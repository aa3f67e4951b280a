#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "golden.h"
#include "optim/grouping.h"
#include "optim/rules/optimizers.h"

namespace vitrain::optim {
namespace {

// Gradients to which the momentum of `options` has been applied.
class Velocities {
 public:
  explicit Velocities(const config::OptimConfig& options)
      : momentum_(options.numbers().momentum), nesterov_(options.nesterov) {}

  NamedValues of(const NamedValues& gradients) {
    NamedValues result;
    for (const auto& [name, values] : gradients) {
      std::vector<double>& kept = kept_[name];
      kept.resize(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        kept[i] = momentum_ * kept[i] + values[i];
        result[name].push_back(
            nesterov_ ? values[i] + momentum_ * kept[i] : kept[i]);
      }
    }
    return result;
  }

 private:
  double momentum_;
  bool nesterov_;
  NamedValues kept_;
};

// Weight decay has its momentum, and nothing has it twice.
TEST(VelocitySgd, FollowsTorchsSgdFromVelocities) {
  const nlohmann::json file = golden("trajectories.json");
  for (const char* variant : {"sgd_momentum", "sgd_nesterov"}) {
    SCOPED_TRACE(variant);
    const nlohmann::json& recorded = file.at("variants").at(variant);
    config::OptimConfig options;
    options.name = config::OptimKind::kSgd;
    options.weight_decay = recorded.at("options").at("weight_decay");
    ASSERT_GT(options.weight_decay, 0.0);
    options.momentum = recorded.at("options").at("momentum");
    options.nesterov = recorded.at("options").value("nesterov", false);
    options.no_decay = {"bias", "norm"};
    GoldenNet net("trajectories.json", grouping_of(options));
    const auto optimizer = make_velocity_sgd(net.state(), options);
    Velocities velocities(options);
    std::size_t compared = 0;
    for (std::size_t step = 0; step < file.at("lr").size(); ++step) {
      net.state().zero_gradients();
      net.accumulate(velocities.of(file.at("gradients")[step]));
      optimizer->step(file.at("lr")[step], at::zeros({}));
      const std::string number = std::to_string(step);
      if (!recorded.at("weights").contains(number)) {
        continue;
      }
      const NamedValues expected = recorded.at("weights").at(number);
      for (const auto& [name, weight] : net.weights()) {
        const at::Tensor exact = at::tensor(expected.at(name), at::kDouble);
        // Three roundings of values up to 1 a step; half an ulp of 1 is 2^-24.
        EXPECT_LE(
            (weight - exact).abs().max().item<double>(),
            3.0 * static_cast<double>(step + 1) * 0x1p-23)
            << name << " after step " << step;
        ++compared;
      }
    }
    EXPECT_GT(compared, 0u);
  }
}

} // namespace
} // namespace vitrain::optim
