#include "config/idle_keys.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace vitrain::config {
namespace {

// What a key, or with a point at its end a section, needs for an effect.
struct Need {
  std::string_view key;
  std::string_view text;
  bool (*met)(const Recipe& recipe);
};

template <SyncMode... modes>
bool sync_is(const Recipe& recipe) {
  return ((recipe.dist.sync.mode == modes) || ...);
}

template <SamplerPolicy policy>
bool sampler_is(const Recipe& recipe) {
  return recipe.data.sampler.policy == policy;
}

template <OptimKind kind>
bool optimizer_is(const Recipe& recipe) {
  return recipe.optim.name == kind;
}

template <ScheduleKind kind>
bool schedule_is(const Recipe& recipe) {
  return recipe.schedule.name == kind;
}

bool averages_from_start(const Recipe& recipe) {
  return recipe.dist.sync.averages_from_start();
}

bool is_scaled(const Recipe& recipe) {
  return recipe.schedule.scale.rule != ScaleRule::kNone;
}

bool warms_up(const Recipe& recipe) {
  return recipe.schedule.warmup.value > 0.0;
}

// Not active(), which mix_prob: 0 ends: that has its effect.
bool mixes(const Recipe& recipe) {
  const MixConfig& mix = recipe.data.augment.mix;
  return mix.mixup > 0.0 || mix.cutmix > 0.0 || mix.cutmix_minmax;
}

bool erases(const Recipe& recipe) {
  return recipe.data.augment.erase.active();
}

bool has_policy(const Recipe& recipe) {
  return recipe.data.augment.auto_augment.has_value();
}

bool shares_are_cut(const Recipe& recipe) {
  return sampler_is<SamplerPolicy::kTorch>(recipe) ||
      sampler_is<SamplerPolicy::kShardThenShuffle>(recipe);
}

constexpr std::string_view kAveraging =
    "dist.sync.mode: local_sgd or post_local_sgd";
constexpr std::string_view kMixing = "data.augment.mixup or cutmix";
constexpr std::string_view kErasing = "data.augment.erasing";
constexpr std::string_view kPolicy = "data.augment.auto_augment";
constexpr std::string_view kScaling = "schedule.scale.rule: linear or sqrt";

constexpr auto kNeeds = std::to_array<Need>({
    {"dist.sync.period",
     "dist.sync.mode: local_sgd, post_local_sgd, diloco or overlap_average",
     [](const Recipe& r) { return r.dist.sync.uses_period(); }},
    {"dist.sync.start", kAveraging, averages_from_start},
    {"dist.sync.average", kAveraging, averages_from_start},
    {"dist.sync.group_size",
     "dist.sync.mode: post_local_sgd",
     sync_is<SyncMode::kPostLocalSgd>},
    {"dist.sync.periods",
     "dist.sync.mode: hierarchical_sgd",
     sync_is<SyncMode::kHierarchicalSgd>},
    {"dist.sync.group_sizes",
     "dist.sync.mode: hierarchical_sgd",
     sync_is<SyncMode::kHierarchicalSgd>},
    {"dist.sync.outer_lr",
     "dist.sync.mode: diloco",
     sync_is<SyncMode::kDiloco>},
    {"dist.sync.outer_momentum",
     "dist.sync.mode: diloco",
     sync_is<SyncMode::kDiloco>},
    {"dist.sync.delay",
     "dist.sync.mode: overlap_average",
     sync_is<SyncMode::kOverlapAverage>},
    {"dist.sync.max_staleness",
     "dist.sync.mode: async_ps or hogwild",
     sync_is<SyncMode::kAsyncPs, SyncMode::kHogwild>},
    {"dist.sync.on_stale",
     "dist.sync.mode: async_ps",
     sync_is<SyncMode::kAsyncPs>},
    {"dist.sync.servers",
     "dist.sync.mode: async_ps",
     sync_is<SyncMode::kAsyncPs>},
    {"dist.sync.predict",
     "dist.sync.mode: delayed_allreduce, or async_ps with a max_staleness "
     "above 0",
     [](const Recipe& r) {
       const SyncConfig& sync = r.dist.sync;
       return sync.mode == SyncMode::kDelayedAllreduce ||
           (sync.mode == SyncMode::kAsyncPs &&
            sync.max_staleness.value_or(1) > 0);
     }},
    {"dist.powersgd.",
     "dist.compress: powersgd",
     [](const Recipe& r) { return r.dist.compress == Compress::kPowerSgd; }},
    {"data.sampler.repeats",
     "data.sampler.policy: repeated",
     sampler_is<SamplerPolicy::kRepeated>},
    {"data.sampler.round",
     "data.sampler.policy: repeated",
     sampler_is<SamplerPolicy::kRepeated>},
    {"data.sampler.weights",
     "data.sampler.policy: weighted",
     sampler_is<SamplerPolicy::kWeighted>},
    {"data.sampler.drop_tail",
     "data.sampler.policy: torch or shard_then_shuffle",
     shares_are_cut},
    {"data.sampler.shuffle",
     "a data.sampler.policy other than sequential and weighted",
     [](const Recipe& r) {
       return !sampler_is<SamplerPolicy::kSequential>(r) &&
           !sampler_is<SamplerPolicy::kWeighted>(r);
     }},
    {"data.bad_samples.",
     "data.on_bad_sample: replace",
     [](const Recipe& r) {
       return r.data.on_bad_sample == OnBadSample::kReplace;
     }},
    {"optim.momentum", "optim.name: sgd", optimizer_is<OptimKind::kSgd>},
    {"optim.nesterov", "optim.name: sgd", optimizer_is<OptimKind::kSgd>},
    {"optim.betas", "optim.name: adamw", optimizer_is<OptimKind::kAdamW>},
    {"optim.eps", "optim.name: adamw", optimizer_is<OptimKind::kAdamW>},
    {"schedule.min_lr",
     "schedule.name: cosine",
     schedule_is<ScheduleKind::kCosine>},
    {"schedule.step_every",
     "schedule.name: step without schedule.milestones",
     [](const Recipe& r) {
       return schedule_is<ScheduleKind::kStep>(r) &&
           r.schedule.milestones.empty();
     }},
    {"schedule.step_factor",
     "schedule.name: step",
     schedule_is<ScheduleKind::kStep>},
    {"schedule.warmup_lr", "schedule.warmup", warms_up},
    {"schedule.scale.base_batch", kScaling, is_scaled},
    {"schedule.scale.apply_to", kScaling, is_scaled},
    {"data.augment.mix_prob", kMixing, mixes},
    {"data.augment.mix_switch_prob", kMixing, mixes},
    {"data.augment.mix_mode", kMixing, mixes},
    {"data.augment.erasing_mode", kErasing, erases},
    {"data.augment.erasing_count", kErasing, erases},
    {"data.augment.erasing_area", kErasing, erases},
    {"data.augment.erasing_aspect", kErasing, erases},
    {"data.augment.auto_augment_interpolation", kPolicy, has_policy},
    {"data.augment.auto_augment_fill", kPolicy, has_policy},
    {"data.augment.gaussian_blur_radius",
     "data.augment.gaussian_blur",
     [](const Recipe& r) { return r.data.augment.gaussian_blur > 0.0; }},
    {"data.augment.padding",
     "data.augment.crop: pad",
     [](const Recipe& r) { return r.data.augment.crop == TrainCrop::kPad; }},
});

bool is_of(const std::string& key, const Need& need) {
  return need.key.ends_with('.') ? key.starts_with(need.key) : key == need.key;
}

} // namespace

std::vector<Finding> idle_keys(const Recipe& recipe, const Origins& origins) {
  std::vector<Finding> findings;
  if (const auto idle = idle_augment_key(recipe)) {
    findings.push_back(*idle);
  }
  for (const auto& [key, origin] : origins) {
    const auto need = std::ranges::find_if(
        kNeeds, [&](const Need& one) { return is_of(key, one); });
    if (need != kNeeds.end() && origin.source.starts_with("-set") &&
        !need->met(recipe)) {
      findings.push_back(
          {key, fmt::format("has no effect: it needs {}", need->text)});
    }
  }
  return findings;
}

} // namespace vitrain::config
