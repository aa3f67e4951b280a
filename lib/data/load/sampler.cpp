#include "data/load/sampler.h"

#include <algorithm>
#include <numeric>

#include "core/check.h"
#include "core/text.h"

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
  VITRAIN_CHECK_DATA(samples > 0, "the training data has no samples");
  switch (options.policy) {
    case SamplerPolicy::kTorch:
    case SamplerPolicy::kPaddle:
    case SamplerPolicy::kRepeated:
      return make_reference_order(samples, options, geometry);
    default:
      return make_own_order(samples, options, geometry);
  }
}

// Returns true if an epoch uses no sample a second time before all were used.
bool is_permutation(SamplerPolicy policy) {
  return policy == SamplerPolicy::kGlobal ||
      policy == SamplerPolicy::kSequential;
}

// Returns true if both geometries give the same lanes and the same end of an
// epoch.
bool same_lanes(
    const SamplerOptions& options,
    const BatchGeometry& a,
    const BatchGeometry& b) {
  if (options.last_batch == LastBatch::kMicro && a.accumulate != b.accumulate) {
    // An epoch ends after whole rounds of micro-batches, whose sizes differ.
    return false;
  }
  switch (options.policy) {
    case SamplerPolicy::kGlobal:
    case SamplerPolicy::kSequential:
    case SamplerPolicy::kWeighted:
      return true;
    case SamplerPolicy::kPaddle:
      return a.world == b.world && a.per_device == b.per_device;
    default:
      return a.world == b.world;
  }
}

// Returns the draws at positions [first, first + count) of a lane, which
// restarts after its end.
std::vector<Draw> positions(
    const Order& order,
    std::int64_t epoch,
    std::int64_t lane,
    std::int64_t first,
    std::int64_t count) {
  std::vector<Draw> draws(static_cast<std::size_t>(count));
  std::span<Draw> rest = draws;
  while (!rest.empty()) {
    const std::int64_t start = first % order.length();
    const std::int64_t here =
        std::min(std::ssize(rest), order.length() - start);
    const std::span<Draw> part = rest.first(static_cast<std::size_t>(here));
    order.take(epoch, lane, start, part);
    for (Draw& draw : part) {
      // Distinguishes this round's draws from all copies of the previous
      // rounds.
      draw.copy += first / order.length() * order.lanes() * order.length();
    }
    rest = rest.subspan(static_cast<std::size_t>(here));
    first += here;
  }
  return draws;
}

// Returns why workers have no samples at all, with any batch size.
std::string empty_shares(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry) {
  if (options.policy == SamplerPolicy::kRepeated) {
    return fmt::format(
        "data.sampler.round: the {} training samples, rounded down to a "
        "multiple of {}, give each of {} nothing: set it to 0, or take fewer "
        "workers",
        samples,
        options.round,
        counted(geometry.world, "worker"));
  }
  // Suggests only settings that differ from the recipe's.
  const bool keeps = options.last_batch != LastBatch::kDrop;
  return fmt::format(
      "data.sampler.{}: the {} training samples are fewer than the {}, and "
      "samples that do not make equal shares are dropped, so that an epoch has "
      "no step: set {}{}, or take fewer workers",
      options.drop_tail ? "drop_tail: true" : "last_batch: drop",
      samples,
      counted(geometry.world, "worker"),
      options.drop_tail ? "drop_tail to false" : "last_batch to keep or pad",
      options.drop_tail && !keeps ? " and last_batch to keep or pad" : "");
}

// Returns why an epoch has no full step, for an epoch of `in_epoch` of the
// samples.
std::string short_of_a_batch(
    std::int64_t samples,
    std::int64_t in_epoch,
    const SamplerOptions& options,
    const BatchGeometry& geometry) {
  const bool smallest = geometry.per_device * geometry.accumulate == 1;
  const std::string fewer = in_epoch < samples
      ? fmt::format(
            "an epoch has {} of the {} training samples (data.sampler), which "
            "are",
            with_commas(in_epoch),
            with_commas(samples))
      : fmt::format("the {} training samples are", with_commas(samples));
  return fmt::format(
      "{}: {} fewer than one global batch of {} ({} per device x {} x {} "
      "accumulated), so that an epoch has no step: {}, or set "
      "data.sampler.last_batch to keep or pad",
      options.batch_key,
      fewer,
      with_commas(geometry.global()),
      with_commas(geometry.per_device),
      counted(geometry.world, "worker"),
      geometry.accumulate,
      smallest                      ? "take fewer workers"
          : geometry.per_device > 1 ? "make it smaller"
                                    : "make train.accumulate smaller");
}

} // namespace

std::int64_t Sampler::Dealt::steps(LastBatch last_batch) const {
  switch (last_batch) {
    case LastBatch::kDrop:
      return order->length() / lane_batch();
    case LastBatch::kMicro:
      return divide_up(
          order->length() / lane_micro_batch(), geometry.accumulate);
    case LastBatch::kKeep:
    case LastBatch::kPad:
      break;
  }
  return divide_up(order->length(), lane_batch());
}

Sampler::Sampler(
    std::int64_t samples,
    const SamplerOptions& options,
    const BatchGeometry& geometry,
    const std::optional<PartialEpoch>& begun)
    : samples_(samples),
      policy_(options.policy),
      last_batch_(options.last_batch),
      own_{geometry, make_order(samples, options, geometry)},
      steps_(own_.steps(options.last_batch)) {
  VITRAIN_CHECK(
      steps_ > 0,
      ExitCode::kUsage,
      "{}",
      own_.order->length() == 0
          ? empty_shares(samples, options, geometry)
          : short_of_a_batch(samples, epoch_samples(), options, geometry));
  if (begun && !same_lanes(options, geometry, begun->geometry)) {
    continue_epoch(options, *begun);
  }
}

void Sampler::continue_epoch(
    const SamplerOptions& options,
    const PartialEpoch& begun) {
  const BatchGeometry& before = begun.geometry;
  VITRAIN_CHECK(
      before.global() == own_.geometry.global(),
      ExitCode::kInternal,
      "an epoch was begun with a global batch of {}, and goes on with {}",
      before.global(),
      own_.geometry.global());
  Dealt theirs{before, make_order(samples_, options, before)};
  const std::int64_t steps = theirs.steps(last_batch_);
  // With another number of steps per epoch, the completed steps would end at a
  // different position.
  VITRAIN_CHECK(
      steps == steps_,
      ExitCode::kUsage,
      "with this data.sampler.policy the {} training samples make {} per epoch "
      "on {} and {} on {}, so that the run cannot be continued without "
      "repeating or leaving out samples: go on with {}",
      samples_,
      counted(steps, "step"),
      counted(before.world, "worker"),
      counted(steps_, "step"),
      counted(own_.geometry.world, "worker"),
      counted(before.world, "worker"));
  if (begun.steps > 0) {
    begun_epoch_ = begun.epoch;
    begun_ = std::move(theirs);
  }
}

std::optional<std::int64_t> Sampler::partial_epoch() const {
  return begun_ ? std::optional(begun_epoch_) : std::nullopt;
}

std::int64_t Sampler::lane_samples_in_step(
    const Dealt& dealt,
    std::int64_t step_in_epoch) const {
  const std::int64_t left =
      dealt.order->length() - step_in_epoch * dealt.lane_batch();
  switch (last_batch_) {
    case LastBatch::kKeep:
      return std::min(dealt.lane_batch(), left);
    case LastBatch::kMicro:
      return std::min(
          dealt.lane_batch(), left - left % dealt.lane_micro_batch());
    case LastBatch::kDrop:
    case LastBatch::kPad:
      break;
  }
  return dealt.lane_batch();
}

std::int64_t Sampler::samples_in_step(
    std::int64_t epoch,
    std::int64_t step_in_epoch) const {
  const Dealt& of_epoch = dealt(epoch);
  return of_epoch.order->lanes() *
      lane_samples_in_step(of_epoch, step_in_epoch);
}

std::int64_t Sampler::samples_of_worker(
    std::int64_t epoch,
    std::int64_t step_in_epoch,
    int rank) const {
  const Dealt& of_epoch = dealt(epoch);
  const std::int64_t share =
      own_.geometry.per_device * own_.geometry.accumulate;
  if (&of_epoch == &own_ && own_.order->lanes() > 1) {
    return std::clamp<std::int64_t>(
        lane_samples_in_step(own_, step_in_epoch), 0, share);
  }
  if (&of_epoch == &own_ && last_batch_ == LastBatch::kMicro) {
    return samples_in_step(epoch, step_in_epoch) / own_.geometry.world;
  }
  return std::clamp<std::int64_t>(
      samples_in_step(epoch, step_in_epoch) - rank * share, 0, share);
}

std::vector<Draw> Sampler::micro_batch(
    std::int64_t epoch,
    std::int64_t step_in_epoch,
    std::int64_t k) const {
  const Dealt& of_epoch = dealt(epoch);
  if (&of_epoch == &own_) {
    return share_of_lane(own_, epoch, step_in_epoch, k);
  }
  std::vector<Draw> step;
  for (std::int64_t of = 0; of < of_epoch.geometry.micro_batches(); ++of) {
    const auto part = share_of_lane(of_epoch, epoch, step_in_epoch, of);
    step.insert(step.end(), part.begin(), part.end());
  }
  const std::int64_t share = own_.geometry.per_device;
  const std::int64_t first = std::min(k * share, std::ssize(step));
  const std::int64_t last = std::min(first + share, std::ssize(step));
  return {step.begin() + first, step.begin() + last};
}

std::vector<Draw> Sampler::share_of_lane(
    const Dealt& dealt,
    std::int64_t epoch,
    std::int64_t step_in_epoch,
    std::int64_t k) const {
  const BatchGeometry& geometry = dealt.geometry;
  const std::int64_t per_lane = geometry.micro_batches() / dealt.order->lanes();
  const std::int64_t samples = lane_samples_in_step(dealt, step_in_epoch);
  // Position of the micro-batch in its lane's step.
  std::int64_t place = k % per_lane;
  if (last_batch_ == LastBatch::kMicro) {
    const std::int64_t each = samples / dealt.lane_micro_batch();
    const std::int64_t of_worker = place % geometry.accumulate;
    if (of_worker >= each) {
      return {};
    }
    place = place / geometry.accumulate * each + of_worker;
  }
  const std::int64_t in_step = place * geometry.per_device;
  const std::int64_t count =
      std::clamp<std::int64_t>(samples - in_step, 0, geometry.per_device);
  return positions(
      *dealt.order,
      epoch,
      k / per_lane,
      step_in_epoch * dealt.lane_batch() + in_step,
      count);
}

EpochCounts Sampler::counts(std::int64_t epoch) const {
  const Order& order = *own_.order;
  const std::int64_t per_lane =
      (steps_ - 1) * own_.lane_batch() + lane_samples_in_step(own_, steps_ - 1);
  const std::int64_t used = per_lane * order.lanes();
  EpochCounts counts;
  if (is_permutation(policy_)) {
    counts.distinct = std::min(used, samples_);
  } else {
    std::vector<bool> seen(static_cast<std::size_t>(samples_));
    for (std::int64_t lane = 0; lane < order.lanes(); ++lane) {
      for (const Draw& draw : positions(order, epoch, lane, 0, per_lane)) {
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
  VITRAIN_CHECK_DATA(samples > 0, "the evaluation data has no samples");
}

std::int64_t EvalSharding::batches_of(int rank) const {
  return rank < batches_ ? divide_up(batches_ - rank, world_) : 0;
}

std::vector<std::int64_t> EvalSharding::samples_of(int rank, std::int64_t i)
    const {
  const std::int64_t first = (i * world_ + rank) * batch_;
  const std::int64_t last = std::min(first + batch_, samples_);
  std::vector<std::int64_t> indices(
      static_cast<std::size_t>(std::max<std::int64_t>(last - first, 0)));
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

} // namespace vitrain::data
