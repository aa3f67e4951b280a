#include "engine/step/parameter_shards.h"

#include <ATen/ATen.h>

#include "core/check.h"
#include "optim/rules/optimizers.h"

namespace vitrain::engine {
namespace {

// A server's buffers as parameter groups, with their optimizer.
struct OwnShard {
  optim::FlatState state;
  std::unique_ptr<optim::Optimizer> optimizer;
  at::Tensor non_finite; // always 0: workers send only finite gradients

  OwnShard(
      std::vector<optim::FlatGroup> groups,
      const config::OptimConfig& options)
      : state(std::move(groups)),
        optimizer(optim::make_optimizer(state, options)),
        non_finite(at::zeros({}, at::kFloat)) {}
};

// Returns an optimizer's state in an order that depends only on its kind and on
// the groups.
std::vector<at::Tensor> state_of(const optim::Optimizer& optimizer) {
  std::vector<at::Tensor> state = optimizer.buffers();
  state.push_back(optimizer.steps());
  return state;
}

} // namespace

ParameterShards::ParameterShards(
    const optim::FlatState& parameters,
    const optim::Optimizer& optimizer,
    int servers)
    : parameters_(parameters),
      optimizer_(optimizer),
      ranges_(static_cast<std::size_t>(servers)) {
  for (std::size_t g = 0; g < parameters.groups().size(); ++g) {
    const optim::FlatGroup& group = parameters.groups()[g];
    const std::int64_t numel = group.parameters.numel();
    std::size_t first = 0;
    std::int64_t offset = 0;
    for (int server = 0; server < servers; ++server) {
      const std::int64_t aim = numel * (server + 1) / servers;
      std::size_t last = first;
      while (last < group.segments.size() &&
             group.segments[last].offset < aim) {
        ++last;
      }
      const std::int64_t end =
          last == group.segments.size() ? numel : group.segments[last].offset;
      if (end > offset) {
        ranges_[static_cast<std::size_t>(server)].push_back(
            {g, first, last, offset, end - offset});
      }
      first = last;
      offset = end;
    }
  }
  for (const auto& ranges : ranges_) {
    VITRAIN_CHECK(
        !ranges.empty(),
        ExitCode::kUsage,
        "dist.sync.servers: {} are too many for this model: one of them would "
        "have no parameter",
        servers);
  }
}

std::vector<dist::ReplicaShard> ParameterShards::replica() const {
  const auto kinds = optimizer_.buffers_by_kind();
  std::vector<dist::ReplicaShard> shards;
  for (const auto& ranges : ranges_) {
    dist::ReplicaShard shard;
    for (const Range& range : ranges) {
      const optim::FlatGroup& group = parameters_.groups()[range.group];
      shard.parameters.push_back(
          group.parameters.narrow(0, range.offset, range.size));
      shard.gradients.push_back(
          group.gradients.narrow(0, range.offset, range.size));
    }
    for (const std::vector<at::Tensor>& groups : kinds) {
      for (const Range& range : ranges) {
        const at::Tensor& buffer = groups[range.group];
        if (buffer.numel() > 0) { // empty if the group has no such buffer
          shard.state.push_back(buffer.narrow(0, range.offset, range.size));
        }
      }
    }
    shard.state.push_back(optimizer_.steps());
    shards.push_back(std::move(shard));
  }
  return shards;
}

dist::ServerShard ParameterShards::server(
    int index,
    const config::OptimConfig& optim) const {
  const auto& ranges = ranges_[static_cast<std::size_t>(index)];
  std::int64_t size = 0;
  for (const Range& range : ranges) {
    size += range.size;
  }
  dist::ServerShard shard{
      .parameters = at::zeros({size}, at::kFloat),
      .gradients = at::zeros({size}, at::kFloat),
      .state = {},
      .apply = {}};
  std::vector<optim::FlatGroup> groups;
  std::int64_t offset = 0;
  for (const Range& range : ranges) {
    const optim::FlatGroup& whole = parameters_.groups()[range.group];
    optim::FlatGroup group{static_cast<const optim::GroupSettings&>(whole)};
    group.parameters = shard.parameters.narrow(0, offset, range.size);
    group.gradients = shard.gradients.narrow(0, offset, range.size);
    for (std::size_t i = range.first; i < range.last; ++i) {
      const optim::Segment& segment = whole.segments[i];
      const std::int64_t begin = segment.offset - range.offset;
      group.segments.push_back(
          {.name = segment.name,
           .parameter =
               group.parameters.narrow(0, begin, segment.parameter.numel())
                   .as_strided(segment.shape, segment.strides),
           .offset = begin});
    }
    groups.push_back(std::move(group));
    offset += range.size;
  }
  const auto own = std::make_shared<OwnShard>(std::move(groups), optim);
  shard.state = state_of(*own->optimizer);
  shard.apply = [own](double lr) { own->optimizer->step(lr, own->non_finite); };
  return shard;
}

} // namespace vitrain::engine
