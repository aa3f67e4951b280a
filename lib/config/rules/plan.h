#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/rules/timeline.h"

namespace vitrain::config {

struct DataConfig;
struct EmaConfig;
struct Recipe;

// Division of the samples of an optimizer step among devices.
struct BatchPlan {
  std::int64_t workers = 1; // processes
  // Devices per worker; > 1 only with dist.mode single_process.
  std::int64_t replicas = 1;
  std::int64_t device_batch = 0; // samples per device and micro-batch
  std::int64_t accumulate = 1; // micro-batches per worker and optimizer step
  // run.shards with run.determinism: elastic, otherwise 0. Each worker computes
  // shards / workers of them.
  std::int64_t shards = 0;
  // Samples per optimizer step: device_batch x devices x accumulate; less if
  // data.batch_size cannot be divided evenly among the devices of
  // single_process: device_batch is then the largest share.
  std::int64_t global_batch = 0;
  // For the banner: "64 x 2 workers x 1 = 128".
  std::string batch_text;

  std::int64_t devices() const { return workers * replicas; }
  // Returns among how many a step's samples are divided: the shards, or without
  // them the workers.
  std::int64_t parts() const { return shards > 0 ? shards : workers; }
  // Returns the micro-batches of a step in each of the parts().
  std::int64_t part_batches() const { return workers * accumulate / parts(); }
  // Samples per worker and micro-batch, if all devices have device_batch.
  std::int64_t worker_batch() const { return device_batch * replicas; }
};

// Computes the batch. With batch_mode per_device, data.batch_size is
// device_batch; with global, it is the sum over the devices of one micro-batch.
// Throws Error(kUsage) if devices (with run.determinism: elastic, shards) would
// get unequal shares, unless shares_may_differ(), or if run.shards is not a
// multiple of `devices`. Requires devices >= 1. Each device has its own worker,
// or with dist.mode single_process all share one.
BatchPlan plan_batch(const Recipe& recipe, std::int64_t devices);

// Range of epochs, counted from 0, with the same global batch.
struct BatchStage {
  std::int64_t first_epoch = 0;
  std::int64_t end_epoch = 0; // one past the last epoch
  BatchPlan batch;
};

// Returns the run's epochs, divided where data.augment.stages change the global
// batch; at least one range. Throws like plan_batch().
std::vector<BatchStage> batch_stages(
    const Recipe& recipe,
    std::int64_t devices);

// Sizes of the datasets, and the training's steps as counted by the sampler.
struct DataSize {
  std::int64_t train_samples = 0;
  std::int64_t steps_per_epoch = 0; // in the first epoch, at least 1
  std::int64_t eval_samples = 0;
  // One entry per batch stage, with the steps of each of its epochs; the first
  // entry has steps_per_epoch. Empty: all epochs have steps_per_epoch.
  std::vector<EpochSteps> epochs{};
};

// Step counts and batch sizes of a run; without training, only `workers`,
// `eval_samples` and `eval_batch` are set. Steps are optimizer steps. The
// inherited batch is that of the first epoch, for which learning rates are
// scaled.
//
// The schedule is a function of the completed fraction of the epochs, and does
// not depend on the number of steps that stages give them. Its time is counted
// in steps of the first epoch's length; if all epochs have equal length, time
// equals the step's number.
struct Plan : BatchPlan {
  std::int64_t eval_batch = 0; // samples per device and evaluation batch
  std::int64_t train_samples = 0;
  std::int64_t eval_samples = 0;

  Timeline timeline;
  std::int64_t steps_per_epoch = 0; // in the first epoch
  std::int64_t total_steps = 0;
  // Members up to drop_path_cutoff are in units of the schedule's time.
  std::int64_t schedule_steps = 0; // length of the run in schedule time
  std::int64_t warmup_steps = 0; // schedule time, included in schedule_steps
  std::int64_t cooldown_steps = 0; // schedule time, end of schedule_steps
  // schedule.step_every in units of the schedule's time: at least 1.
  std::int64_t step_every = 0;
  // schedule.milestones, in units of the schedule's time, ascending; used
  // instead of step_every if not empty.
  std::vector<std::int64_t> milestones;
  // schedule.timescale (auto: warmup_steps) in units of the schedule's time:
  // for schedule `rsqrt` at least 1.
  std::int64_t timescale = 0;
  // schedule.drop_path.cutoff in units of the schedule's time.
  std::int64_t drop_path_cutoff = 0;

  // Members up to prune_every are in steps.
  std::int64_t ema_start = 0; // train.ema.start in steps
  Interval eval_every; // at least 1 step
  Interval checkpoint_every; // at least 1 step, or a time
  Interval checkpoint_keep_every; // never if checkpoint.keep_every is null
  Interval stop_after; // run.stop_after; never if that is null
  std::int64_t sync_start = 0; // dist.sync.start in steps
  std::int64_t powersgd_start = 0; // dist.powersgd.start in steps
  std::int64_t topk_start = 0; // dist.topk.start in steps
  std::int64_t topk_warmup = 0; // dist.topk.warmup: steps from topk_start on
  std::int64_t prune_start = 0; // train.prune.start in steps
  // train.prune.end in steps: at least 1, and with pruning at least
  // prune_start.
  std::int64_t prune_end = 0;
  std::int64_t prune_every = 0; // train.prune.every: steps, at least 1
  Interval replicas_every; // dist.check_every; never if that is null

  // Learning rates, after schedule.scale if its apply_to has them:
  double lr = 0.0;
  double warmup_lr = 0.0;
  double min_lr = 0.0;
  // For the banner: "0.0005 x 1024 / 512 = 0.001" or "0.001 (not scaled)".
  std::string lr_text;

  // Returns the epoch (from 0) of step `step` (from 0).
  std::int64_t epoch_of(std::int64_t step) const {
    return timeline.epoch_of(step);
  }
  // Returns the number of epochs; the last one may be incomplete.
  std::int64_t epochs() const { return epoch_of(total_steps - 1) + 1; }
  // Returns the schedule's time at the beginning of step `step` (from 0).
  double schedule_time(std::int64_t step) const;
  // Returns the step whose beginning is nearest to a time of the schedule.
  std::int64_t step_of_time(std::int64_t time) const;
};

// Computes the plan; a pure function. Throws Error(kUsage) if the warm-up and
// cooldown together are longer than the run, schedule rsqrt has no timescale,
// pruning ends before it starts, or its interval is in epochs of different
// lengths.
Plan make_plan(
    const Recipe& recipe,
    const BatchPlan& batch,
    const DataSize& size);

// Returns true if train.ema.every is due after step `step` (from 1): at its
// multiples, or with train.ema.count: epoch after the first step of each epoch
// and every train.ema.every steps later. Ignores train.ema.start.
bool updates_average(
    const EmaConfig& ema,
    const Timeline& timeline,
    std::int64_t step);

// Returns the samples per device and evaluation batch: data.eval_batch_size; if
// that is auto, data.batch_size, with batch_mode global at most 256. It is the
// same on any number of workers: the shape of a batch determines which kernels
// run, and thus the last bits of the results.
std::int64_t eval_batch(const DataConfig& data);

} // namespace vitrain::config
