#include "engine/step/gradient_exchange.h"

#include <ATen/ops/zeros.h>

#include "config/rules/dist_rules.h"
#include "dist/group/connect.h"
#include "dist/group/shared_memory.h"
#include "dist/sync/async_ps.h"
#include "dist/sync/shard_sum.h"
#include "dist/sync/sharded_update.h"
#include "engine/step/parameter_shards.h"
#include "job/run/job.h"
#include "optim/rules/optimizers.h"

namespace vitrain::engine {

std::vector<dist::GradientBuffer> gradient_buffers(
    const optim::FlatState& parameters) {
  std::vector<dist::GradientBuffer> buffers;
  for (const optim::FlatGroup& group : parameters.groups()) {
    dist::GradientBuffer buffer{.gradients = group.gradients};
    for (const optim::Segment& segment : group.segments) {
      buffer.slots.push_back({segment.name, segment.parameter, segment.offset});
    }
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

dist::ReplicaBuffers replica_buffers(
    const optim::FlatState& parameters,
    const optim::Optimizer& optimizer) {
  dist::ReplicaBuffers buffers{
      .gradients = gradient_buffers(parameters),
      .parameters = {},
      .moments = optimizer.buffers(),
      .steps = optimizer.steps()};
  for (const optim::FlatGroup& group : parameters.groups()) {
    buffers.parameters.push_back(group.parameters);
  }
  return buffers;
}

namespace {

// Returns true if exchanged gradients already contain momentum.
bool corrects_momentum(const config::DistConfig& dist) {
  return dist.compress == Compress::kTopK && dist.topk.momentum_correction;
}

dist::TopKOptions top_k_options(const Session& session) {
  const config::Recipe& recipe = session.job.recipe;
  const config::TopKConfig& top_k = recipe.dist.topk;
  return {
      .share = top_k.share,
      .start = session.plan.topk_start,
      .warmup = session.plan.topk_warmup,
      .momentum = corrects_momentum(recipe.dist)
          ? recipe.optim.numbers().momentum
          : 0.0,
      .nesterov = recipe.optim.nesterov,
      .momentum_masking = top_k.momentum_masking};
}

dist::BucketOptions bucket_options(const Session& session) {
  const config::DistConfig& dist = session.job.recipe.dist;
  constexpr double kMebibyte = 1 << 20;
  return {
      .first_bytes =
          static_cast<std::int64_t>(dist.first_bucket_mb * kMebibyte),
      .bytes = static_cast<std::int64_t>(dist.bucket_mb * kMebibyte),
      .compress = dist.compress,
      .power_sgd =
          {.rank = dist.powersgd.rank,
           .start = session.plan.powersgd_start,
           .warm_start = dist.powersgd.warm_start,
           .min_compression = dist.powersgd.min_compression},
      .top_k = top_k_options(session)};
}

// Returns the group that averages gradients in every step of post_local_sgd: by
// default the ranks of a machine.
dist::Group* node_group(Session& session) {
  const config::SyncConfig& sync = session.job.recipe.dist.sync;
  if (sync.mode != config::SyncMode::kPostLocalSgd) {
    return nullptr;
  }
  return &session.groups.data_block(
      static_cast<int>(sync.group_size.value_or(session.local_world)));
}

dist::AveragingLevels levels(Session& session) {
  const config::SyncConfig& sync = session.job.recipe.dist.sync;
  dist::AveragingLevels levels;
  for (const config::SyncLevel& level :
       config::sync_levels(sync, session.world)) {
    levels.push_back(
        {.period = level.period,
         .group = &session.groups.data_block(static_cast<int>(level.size))});
  }
  return levels;
}

std::int64_t max_staleness(const Session& session) {
  return session.job.recipe.dist.sync.max_staleness.value_or(
      2 * (session.world - 1));
}

std::unique_ptr<dist::GradientSync> make_async_ps(
    Session& session,
    const optim::FlatState& parameters,
    const optim::Optimizer& optimizer) {
  const config::Recipe& recipe = session.job.recipe;
  const config::SyncConfig& sync = recipe.dist.sync;
  const ParameterShards shards(
      parameters, optimizer, static_cast<int>(sync.servers));
  std::optional<dist::ServerShard> own;
  if (session.rank < sync.servers) {
    own = shards.server(session.rank, recipe.optim);
  }
  // AsyncPs uses the control group only for barriers.
  return std::make_unique<dist::AsyncPs>(
      *session.groups.control,
      gradient_buffers(parameters),
      shards.replica(),
      std::move(own),
      session.groups.connect_mailbox,
      dist::AsyncPsOptions{
          .max_staleness = max_staleness(session),
          .on_stale = sync.on_stale,
          .predict = sync.predict});
}

// Moves the parameters of all ranks into the same shared memory.
void share_parameters(Session& session, const optim::FlatState& parameters) {
  for (const optim::FlatGroup& group : parameters.groups()) {
    const at::Tensor shared =
        dist::share_memory(*session.groups.control, group.parameters);
    group.parameters.set_data(shared);
    for (const optim::Segment& segment : group.segments) {
      segment.parameter.set_data(segment.in(shared));
    }
  }
}

std::unique_ptr<dist::GradientSync> make_elastic(
    Session& session,
    const optim::FlatState& parameters,
    const BatchNormExchange* batch_norm) {
  dist::ShardBuffers buffers;
  for (const optim::FlatGroup& group : parameters.groups()) {
    buffers.gradients.push_back(group.gradients);
  }
  if (batch_norm != nullptr) {
    buffers.statistics = batch_norm->statistics();
    buffers.counters = batch_norm->counters();
  }
  return dist::make_shard_sum(
      *session.groups.data,
      std::move(buffers),
      session.plan.shards,
      session.plan.part_batches());
}

// Returns the mode of dist.sync.mode.
std::unique_ptr<dist::GradientSync> make_mode(
    Session& session,
    const optim::FlatState& parameters,
    const optim::Optimizer& optimizer,
    const optim::Pruner* pruner) {
  const config::DistConfig& dist = session.job.recipe.dist;
  const config::SyncConfig& sync = dist.sync;
  const dist::BucketOptions buckets = bucket_options(session);
  dist::Group& all = *session.groups.data;
  dist::ReplicaBuffers buffers = replica_buffers(parameters, optimizer);
  for (std::size_t i = 0; pruner != nullptr && i < buffers.gradients.size();
       ++i) {
    buffers.gradients[i].pruned = pruner->masks()[i];
  }
  const auto averaging = [&](const dist::AveragingOptions& options) {
    return dist::make_averaging(all, std::move(buffers), buckets, options);
  };
  switch (sync.mode) {
    case config::SyncMode::kAllreduce:
      return dist::make_bucketed_all_reduce(
          all, std::move(buffers.gradients), buckets);
    case config::SyncMode::kDelayedAllreduce:
      return dist::make_delayed_all_reduce(
          all, std::move(buffers), buckets, sync.predict);
    case config::SyncMode::kLocalSgd:
    case config::SyncMode::kPostLocalSgd:
      return averaging(dist::LocalSgdOptions{
          .start = session.plan.sync_start,
          .period = sync.period,
          .average_moments =
              sync.average == config::SyncAverage::kParametersAndOptimizer,
          .node = node_group(session)});
    case config::SyncMode::kHierarchicalSgd:
      return averaging(levels(session));
    case config::SyncMode::kDiloco:
      return averaging(dist::DilocoOptions{
          .period = sync.period,
          .outer_lr = sync.outer_lr,
          .outer_momentum = sync.outer_momentum});
    case config::SyncMode::kOverlapAverage:
      return averaging(
          dist::OverlapOptions{.period = sync.period, .delay = sync.delay});
    case config::SyncMode::kAsyncPs:
      return make_async_ps(session, parameters, optimizer);
    case config::SyncMode::kHogwild:
      share_parameters(session, parameters);
      return dist::make_hogwild(
          all,
          std::move(buffers),
          max_staleness(session),
          dist::share_memory(
              *session.groups.control, at::zeros({1}, at::kLong)));
  }
  return nullptr;
}

} // namespace

std::unique_ptr<optim::Optimizer> make_recipe_optimizer(
    const config::Recipe& recipe,
    optim::FlatState& parameters) {
  return corrects_momentum(recipe.dist)
      ? optim::make_velocity_sgd(parameters, recipe.optim)
      : optim::make_optimizer(parameters, recipe.optim);
}

std::unique_ptr<dist::GradientSync> make_gradient_sync(
    Session& session,
    const optim::FlatState& parameters,
    const optim::Optimizer& optimizer,
    const optim::Pruner* pruner,
    const BatchNormExchange* batch_norm) {
  auto mode = session.plan.shards > 0
      ? make_elastic(session, parameters, batch_norm)
      : make_mode(session, parameters, optimizer, pruner);
  if (parameters.share().count == 1) {
    return mode;
  }
  std::vector<dist::ShardedBuffer> shares;
  for (const optim::FlatGroup& group : parameters.groups()) {
    shares.push_back(
        {.whole = group.shares,
         .own = group.shares.narrow(
             0,
             parameters.share().index * group.share_size,
             group.share_size)});
  }
  return dist::make_sharded_update(
      *session.groups.data, std::move(mode), std::move(shares));
}

} // namespace vitrain::engine
