#include "engine/step/parameter_shards.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "optim/rules/optimizers.h"
#include "support/errors.h"
#include "support/messages.h"
#include "unit/engine/fixtures.h"

namespace vitrain::engine {
namespace {

// A network with a gradient, and its optimizer.
struct Replica {
  Replica()
      : model(networks::make_model(tiny_vit(), 3)),
        parameters(*model, 0.05, {"bias", "norm"}),
        optimizer(optim::make_optimizer(parameters, {})) {
    for (const optim::FlatGroup& group : parameters.groups()) {
      for (const optim::Segment& segment : group.segments) {
        segment.parameter.mutable_grad().copy_(
            segment.parameter.detach().cos());
      }
    }
  }

  std::shared_ptr<networks::Model> model;
  optim::FlatState parameters;
  std::unique_ptr<optim::Optimizer> optimizer;
};

TEST(ParameterShards, CoverTheReplicaOnceAndCutNoParameter) {
  const Replica replica;
  const auto shards =
      ParameterShards(replica.parameters, *replica.optimizer, 3).replica();
  ASSERT_EQ(shards.size(), 3u);
  std::int64_t covered = 0;
  for (const dist::ReplicaShard& shard : shards) {
    for (const at::Tensor& part : shard.parameters) {
      covered += part.numel();
    }
  }
  std::int64_t whole = 0;
  for (const optim::FlatGroup& group : replica.parameters.groups()) {
    whole += group.parameters.numel();
    for (const optim::Segment& segment : group.segments) {
      const auto* first = segment.parameter.const_data_ptr<float>();
      const auto holds = [&](const at::Tensor& part) {
        const auto* begin = part.const_data_ptr<float>();
        return first >= begin &&
            first + segment.parameter.numel() <= begin + part.numel();
      };
      EXPECT_EQ(
          std::ranges::count_if(
              shards,
              [&](const dist::ReplicaShard& shard) {
                return std::ranges::any_of(shard.parameters, holds);
              }),
          1)
          << segment.name;
    }
  }
  EXPECT_EQ(covered, whole);
}

// Servers that are given weights and gradients do what one optimizer does.
TEST(ParameterShards, ServersUpdateAsTheReplicasOwnOptimizer) {
  Replica replica;
  const ParameterShards shards(replica.parameters, *replica.optimizer, 2);
  const auto views = shards.replica();
  std::vector<at::Tensor> served;
  for (int i = 0; i < 2; ++i) {
    const dist::ReplicaShard& view = views[static_cast<std::size_t>(i)];
    dist::ServerShard server = shards.server(i, {});
    EXPECT_EQ(server.state.size(), view.state.size());
    server.parameters.copy_(at::cat(view.parameters));
    server.gradients.copy_(at::cat(view.gradients));
    server.apply(0.01);
    served.push_back(server.parameters);
  }
  const at::Tensor before = at::cat(views[0].parameters).clone();
  replica.optimizer->step(0.01, at::zeros({}));
  EXPECT_FALSE(at::equal(at::cat(views[0].parameters), before));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(at::equal(served[i], at::cat(views[i].parameters))) << i;
  }
}

TEST(ParameterShards, TooManyServersAreRefused) {
  const Replica replica;
  expect_message(
      error_of(
          ExitCode::kUsage,
          [&] {
            ParameterShards(replica.parameters, *replica.optimizer, 1000);
          }),
      {"dist.sync.servers", "1000"});
}

} // namespace
} // namespace vitrain::engine
