#include "engine/report/memory_estimate.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "engine/step/parameter_groups.h"
#include "models/families/family.h"
#include "models/resolve.h"
#include "models/teacher.h"
#include "networks/cost.h"
#include "networks/networks.h"
#include "networks/tensors.h"
#include "optim/rules/optimizers.h"

#include <fmt/format.h>

namespace vitrain::engine {
namespace {

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
constexpr std::int64_t kFp32 = 4;
constexpr std::int64_t kBf16 = 2;

// Measured (docs/performance.md): memory of a worker with a tiny model, and the
// additional memory of collectives between several workers.
constexpr std::int64_t kProcess = 220 * kMebibyte;
constexpr std::int64_t kGroups = 20 * kMebibyte;

// Returns the bytes per parameter of the copies that dist.sync and
// dist.compress keep.
std::int64_t exchange_bytes(
    const config::Recipe& recipe,
    const config::Plan& plan) {
  const bool several = plan.workers > 1;
  if (plan.shards > 0) {
    // dist::make_shard_sum(): sums of 1, 2, 4, ... shards, and what arrives.
    const auto own = static_cast<std::uint64_t>(plan.shards / plan.workers);
    return kFp32 * (std::bit_width(own) + (several ? 1 : 0));
  }
  if (!several) {
    return 0;
  }
  const config::DistConfig& dist = recipe.dist;
  const bool half =
      dist.compress == Compress::kBf16 || dist.compress == Compress::kFp16;
  const config::SyncTraits traits = dist.sync.traits();
  const std::int64_t predicted = dist.sync.predict ? traits.predict_copies : 0;
  const std::int64_t kept = (traits.weight_copies + predicted) * kFp32;
  if (traits.gradient_copies > 0) {
    return kept + traits.gradient_copies * (half ? kBf16 : kFp32);
  }
  if (keeps_errors(dist.compress)) {
    const bool velocity =
        dist.compress == Compress::kTopK && dist.topk.momentum_correction;
    return kept + (velocity ? 2 : 1) * kFp32;
  }
  return kept + (half ? kBf16 : 0);
}

std::int64_t scaled(std::int64_t bytes, double factor) {
  return static_cast<std::int64_t>(static_cast<double>(bytes) * factor);
}

} // namespace

std::int64_t MemoryEstimate::total() const {
  return weights + gradients + optimizer + exchange + activations + snapshot +
      loader + process;
}

std::string MemoryEstimate::text() const {
  const auto human = [](std::int64_t bytes) {
    return human_bytes(static_cast<double>(bytes));
  };
  std::vector<std::string> parts;
  for (const auto& [name, bytes] :
       {std::pair("weights", weights),
        {"gradients", gradients},
        {"optimizer", optimizer},
        {"exchange", exchange},
        {"activations", activations},
        {"checkpoint", snapshot},
        {"batches", loader},
        {"process", process}}) {
    if (bytes > 0) {
      parts.push_back(fmt::format("{} {}", name, human(bytes)));
    }
  }
  return fmt::format(
      "about {} for each worker: {}", human(total()), join(parts, ", "));
}

namespace {

models::ActivationBytes activations_of(
    const models::ModelSpec& spec,
    bool bf16) {
  return spec.family->activations != nullptr
      ? spec.family->activations(spec, bf16)
      : networks::cost_of(spec).bytes;
}

// Numbers of trained values, and of frozen values.
struct Trained {
  std::int64_t values = 0;
  std::int64_t frozen_values = 0;
};

Trained trained_of(
    const config::ModelConfig& model,
    const models::ModelSpec& spec) {
  const std::vector<std::string> names = parameter_names(spec);
  const std::vector<std::string> frozen = frozen_parameters(model, names);
  Trained trained;
  for (const networks::TensorInfo& tensor : networks::tensors_of(spec)) {
    if (tensor.kind != networks::TensorInfo::Kind::kParameter) {
      continue;
    }
    const bool is_frozen =
        std::ranges::find(frozen, tensor.name) != frozen.end();
    (is_frozen ? trained.frozen_values : trained.values) += tensor.numel();
  }
  return trained;
}

// Returns the bytes per sample that a training step keeps for backward. Layers
// before the first trained parameter keep nothing, but need temporary memory:
// that of evaluation, in addition to what later layers keep or, if that is
// less, to the memory of evaluation again (measured with vit_small_patch16_224
// and batches of 8 to 96).
std::int64_t kept_bytes(
    const models::ModelSpec& spec,
    bool bf16,
    const config::ModelConfig& model,
    const std::string& recompute) {
  const models::ActivationBytes all = activations_of(spec, bf16);
  const std::int64_t every = config::recompute_every(recompute);
  if (every == 0 && !model.freezes()) {
    return all.kept;
  }
  const auto network = networks::make_network(spec, at::Generator());
  const auto whole =
      static_cast<double>(networks::cost_of(spec, *network).bytes.kept);
  freeze(*network, model);
  const networks::Cost cost = networks::cost_of(spec, *network);
  const std::int64_t kept = scaled(
      all.kept,
      static_cast<double>(cost.bytes.kept) / whole * cost.kept_share(every));
  return model.freezes()
      ? std::min(all.kept, all.passing + std::max(kept, all.passing))
      : kept;
}

// Returns the bytes of a sample in a loader's batch.
std::int64_t row_bytes(const models::ModelSpec& spec) {
  return spec.features > 0 ? (spec.features + spec.num_classes) * kFp32
                           : spec.input_numbers();
}

bool saves_before_the_end(const config::Plan& plan) {
  return plan.checkpoint_every.seconds > 0.0 ||
      plan.checkpoint_every.times(plan.timeline, plan.total_steps - 1) > 0;
}

// Returns the number of values of parameters and buffers.
std::int64_t values_of(const models::ModelSpec& spec) {
  std::int64_t values = 0;
  for (const networks::TensorInfo& tensor : networks::tensors_of(spec)) {
    values += tensor.numel();
  }
  return values;
}

} // namespace

MemoryEstimate estimate_memory(
    const config::Recipe& recipe,
    const config::Plan& plan,
    const models::ModelSpec& spec,
    bool bf16,
    bool evaluates) {
  const std::int64_t values = values_of(spec);
  const std::int64_t replicas = evaluates ? 1 : plan.replicas;
  const bool several = plan.workers > 1;
  const config::Recipe widest = models::widest_stage(recipe);
  const models::ModelSpec trained =
      models::in_training(widest.data.augment, spec);
  MemoryEstimate estimate;
  estimate.process = kProcess + (several ? kGroups : 0);
  estimate.weights = values * (replicas * kFp32 + (bf16 ? kBf16 : 0));
  std::int64_t held = plan.eval_batch * activations_of(spec, bf16).passing;
  // The factors 3 and 4 (below) are the batches in the loaders that Evaluator
  // and Trainer open.
  estimate.loader = 3 * plan.eval_batch * row_bytes(spec);
  if (!evaluates) {
    const bool shares = recipe.dist.zero1 && several;
    const Trained learned = trained_of(recipe.model, spec);
    const std::int64_t parameters = learned.values;
    estimate.gradients = parameters * kFp32 * replicas;
    estimate.optimizer = parameters * kFp32 *
        optim::state_values(recipe.optim) / (shares ? plan.workers : 1);
    estimate.exchange = parameters * exchange_bytes(recipe, plan);
    // The average shares frozen parameters with the network.
    estimate.weights += recipe.train.ema.active()
        ? (values - learned.frozen_values) * kFp32
        : 0;
    const std::int64_t images =
        config::plan_batch(widest, plan.devices()).worker_batch() *
        recipe.train.splits();
    held = std::max(
        held,
        images *
            kept_bytes(trained, bf16, recipe.model, recipe.train.recompute));
    if (recipe.train.distill.active()) {
      const models::ModelSpec teacher =
          models::resolve_teacher(recipe.train.distill, trained);
      estimate.weights += values_of(teacher) * kFp32;
      held += images * activations_of(teacher, bf16).passing;
    }
    estimate.loader += 4 * images * row_bytes(trained);
  }
  if (!evaluates && recipe.checkpoint.async && saves_before_the_end(plan)) {
    const std::int64_t copies = recipe.train.ema.active() ? 2 : 1;
    // With dist.zero1 rank 0 has gathered the optimizer's state anyway.
    estimate.snapshot = copies * values * kFp32 +
        trained_of(recipe.model, spec).values * kFp32 *
            optim::state_values(recipe.optim);
  }
  estimate.activations = scaled(held, spec.family->memory_overhead);
  return estimate;
}

std::string memory_warning(
    const MemoryEstimate& estimate,
    int workers,
    std::optional<std::int64_t> available) {
  const std::int64_t needed =
      workers * estimate.total() - (workers - 1) * estimate.snapshot;
  if (!available || needed <= *available) {
    return "";
  }
  return fmt::format(
      "{} need{} about {} on this machine, which has {} left: lower "
      "data.batch_size (train.accumulate: N makes a step of N such batches), "
      "data.eval_batch_size or model.image_size, or start fewer workers "
      "(-devices cpu:N)",
      workers == 1 ? "the worker" : fmt::format("{} workers", workers),
      workers == 1 ? "s" : "",
      human_bytes(static_cast<double>(needed)),
      human_bytes(static_cast<double>(*available)));
}

} // namespace vitrain::engine
