#include "data/sampler.h"

#include <algorithm>

#include "core/check.h"
#include "core/counted.h"

namespace vitrain::data {
namespace {

std::unique_ptr<const Order> make_order(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry) {
  VITRAIN_CHECK(
      geometry.per_device > 0 && geometry.world > 0 && geometry.accumulate > 0,
      ExitCode::kInternal,
      "batch, workers and accumulation must be positive");
  VITRAIN_CHECK(
      samples > 0, ExitCode::kData, "the training data has no samples");
  switch (options.policy) {
    case SamplerPolicy::kTorch:
    case SamplerPolicy::kPaddle:
    case SamplerPolicy::kRepeated:
      return make_reference_order(samples, options, geometry);
    default:
      return make_own_order(samples, options, geometry);
  }
}

// Nothing is used twice before everything has been used.
bool is_permutation(SamplerPolicy policy) {
  return policy == SamplerPolicy::kGlobal ||
      policy == SamplerPolicy::kSequential;
}

} // namespace

Sampler::Sampler(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry)
    : samples_(samples),
      policy_(options.policy),
      last_batch_(options.last_batch),
      geometry_(geometry),
      order_(make_order(samples, options, geometry)),
      steps_(
          options.last_batch == LastBatch::kDrop
              ? order_->length() / lane_batch()
              : divide_up(order_->length(), lane_batch())) {
  VITRAIN_CHECK(
      steps_ > 0,
      ExitCode::kUsage,
      "data.batch_size: the {} training samples are fewer than one global "
      "batch of {} ({} per device x {} x {} accumulated), so that an epoch has "
      "no step: make it smaller, or set data.sampler.last_batch to keep or pad",
      samples,
      geometry.global(),
      geometry.per_device,
      counted(geometry.world, "worker"),
      geometry.accumulate);
}

std::int64_t Sampler::lane_samples_in_step(std::int64_t step_in_epoch) const {
  return last_batch_ == LastBatch::kKeep
      ? std::min(lane_batch(), order_->length() - step_in_epoch * lane_batch())
      : lane_batch();
}

std::int64_t Sampler::samples_in_step(std::int64_t step_in_epoch) const {
  return order_->lanes() * lane_samples_in_step(step_in_epoch);
}

std::int64_t Sampler::samples_of_worker(std::int64_t step_in_epoch, int rank)
    const {
  const std::int64_t in_lane = lane_samples_in_step(step_in_epoch);
  const std::int64_t share = geometry_.per_device * geometry_.accumulate;
  const std::int64_t first = order_->lanes() == 1 ? rank * share : 0;
  return std::clamp<std::int64_t>(in_lane - first, 0, share);
}

std::vector<Draw> Sampler::micro_batch(
    std::int64_t epoch,
    std::int64_t step_in_epoch,
    std::int64_t k) const {
  const std::int64_t per_lane = geometry_.micro_batches() / order_->lanes();
  const std::int64_t in_step = k % per_lane * geometry_.per_device;
  const std::int64_t count = std::clamp<std::int64_t>(
      lane_samples_in_step(step_in_epoch) - in_step, 0, geometry_.per_device);
  return positions(
      epoch, k / per_lane, step_in_epoch * lane_batch() + in_step, count);
}

std::vector<Draw> Sampler::positions(
    std::int64_t epoch,
    std::int64_t lane,
    std::int64_t first,
    std::int64_t count) const {
  std::vector<Draw> draws(static_cast<std::size_t>(count));
  std::span<Draw> rest = draws;
  while (!rest.empty()) {
    const std::int64_t start = first % order_->length();
    const std::int64_t here =
        std::min(std::ssize(rest), order_->length() - start);
    const std::span<Draw> part = rest.first(static_cast<std::size_t>(here));
    order_->take(epoch, lane, start, part);
    for (Draw& draw : part) {
      // Beyond all copies of the rounds before.
      draw.copy +=
          first / order_->length() * order_->lanes() * order_->length();
    }
    rest = rest.subspan(static_cast<std::size_t>(here));
    first += here;
  }
  return draws;
}

EpochCounts Sampler::counts(std::int64_t epoch) const {
  const std::int64_t per_lane =
      (steps_ - 1) * lane_batch() + lane_samples_in_step(steps_ - 1);
  const std::int64_t used = per_lane * order_->lanes();
  EpochCounts counts;
  if (is_permutation(policy_)) {
    counts.distinct = std::min(used, samples_);
  } else {
    std::vector<bool> seen(static_cast<std::size_t>(samples_));
    for (std::int64_t lane = 0; lane < order_->lanes(); ++lane) {
      for (const Draw& draw : positions(epoch, lane, 0, per_lane)) {
        seen[static_cast<std::size_t>(draw.sample)] = true;
      }
    }
    counts.distinct = std::ranges::count(seen, true);
  }
  counts.dropped = samples_ - counts.distinct;
  counts.repeated = used - counts.distinct;
  return counts;
}

EvalSharding::EvalSharding(std::int64_t samples, std::int64_t batch, int world)
    : samples_(samples),
      batch_(batch),
      world_(world),
      batches_(divide_up(samples, std::max<std::int64_t>(batch, 1))) {
  VITRAIN_CHECK(
      batch > 0 && world > 0,
      ExitCode::kInternal,
      "batch and workers must be positive");
  VITRAIN_CHECK(
      samples > 0, ExitCode::kData, "the evaluation data has no samples");
}

std::int64_t EvalSharding::batches_of(int rank) const {
  return rank < batches_ ? divide_up(batches_ - rank, world_) : 0;
}

std::vector<std::int64_t> EvalSharding::samples_of(int rank, std::int64_t i)
    const {
  const std::int64_t first = (i * world_ + rank) * batch_;
  const std::int64_t last = std::min(first + batch_, samples_);
  std::vector<std::int64_t> indices;
  indices.reserve(
      static_cast<std::size_t>(std::max<std::int64_t>(last - first, 0)));
  for (std::int64_t sample = first; sample < last; ++sample) {
    indices.push_back(sample);
  }
  return indices;
}

} // namespace vitrain::data
