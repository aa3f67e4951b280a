#include "engine/eval/evaluator.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include <ATen/ATen.h>

#include "data/load/loader.h"
#include "data/load/row_picture.h"
#include "data/sources/index.h"
#include "engine/device/autocast.h"
#include "engine/device/on_threads.h"
#include "engine/device/one_intra_op_thread.h"
#include "engine/device/session.h"
#include "engine/eval/outcomes.h"
#include "engine/eval/views.h"
#include "engine/inputs/device_upload.h"
#include "engine/inputs/multi_hot.h"
#include "engine/inputs/patch_masks.h"
#include "engine/step/loss.h"
#include "job/data_options.h"
#include "job/precision.h"
#include "job/run/job.h"

namespace vitrain::engine {
namespace {

// Returns the options for reading images of the size of `seen` for a network of
// `spec`.
data::TransformOptions read_options(
    const config::Recipe& recipe,
    const models::ModelSpec& spec,
    const models::ModelSpec& seen) {
  data::TransformOptions options =
      job::transform_options(recipe, seen, /*train=*/false);
  if (seen.image_size.width != spec.image_size.width) {
    options.crop_pct = 1.0; // keep the whole resized image
  }
  return options;
}

// Returns a mask of the classes that are not in `subset`, [C] bool; undefined
// if the subset is empty, which means all classes.
at::Tensor left_out(
    std::span<const std::int32_t> subset,
    const models::ModelSpec& spec,
    c10::Device device) {
  if (subset.empty()) {
    return {};
  }
  at::Tensor left_out = at::ones({spec.num_classes}, at::kBool);
  for (const std::int32_t one : subset) {
    left_out[one] = false;
  }
  return left_out.to(device);
}

} // namespace

// Data shared by the lanes: this rank's batches, each of which one lane takes,
// and the counts.
class Evaluator::Batches {
 public:
  struct Batch {
    at::Tensor inputs{};
    at::Tensor targets{};
    at::Tensor masks{}; // Model::forward's `drop`, or undefined
    std::vector<std::int64_t> samples{}; // sample numbers
    std::int64_t rows() const { return std::ssize(samples); }
  };

  // `patches`: Model::masked_patches().
  Batches(const Evaluator& owner, std::int64_t patches, int rank, int world)
      : owner_(owner),
        patches_(patches),
        uploads_(owner.device_),
        sharding_(owner.size(), owner.options_.batch, world),
        count_(
            owner.options_.batches > 0
                ? std::min(sharding_.batches_of(rank), owner.options_.batches)
                : sharding_.batches_of(rank)),
        loader_(
            *owner.rows_,
            [this,
             rank](std::int64_t sequence, std::vector<data::Draw>& draws) {
              if (sequence >= count_) {
                return false;
              }
              for (const std::int64_t sample :
                   sharding_.samples_of(rank, sequence)) {
                draws.push_back({.sample = sample});
              }
              return true;
            },
            {.threads = owner.options_.threads,
             .depth = 1 + owner.options_.lanes,
             .capacity = owner.options_.batch,
             .bad_samples = owner.bad_samples_,
             .allocate = owner.options_.allocate,
             .tail = tail_bytes()}) {}

  std::int64_t count() const { return count_; }
  // Returns the number of images whose values were clipped. Call after the
  // lanes have ended.
  std::int64_t clipped() const { return clipped_; }

  // Returns the next batch on the device; nullopt if none is left, a lane has
  // failed, or the evaluation is aborted.
  std::optional<Batch> take() {
    const std::lock_guard lock(mutex_);
    const bool leaves =
        failed_ || (owner_.options_.leave && owner_.options_.leave());
    const data::Batch* batch = leaves ? nullptr : loader_.next();
    if (batch == nullptr) {
      return std::nullopt;
    }
    clipped_ += batch->clipped;
    std::vector<std::int64_t> samples;
    for (const data::Draw& draw : batch->draws) {
      samples.push_back(draw.sample);
    }
    const std::int64_t rows = owner_.options_.batch;
    const bool vectors = owner_.spec_.features > 0;
    DeviceUpload upload = uploads_.open(*batch);
    Batch made{.samples = std::move(samples)};
    if (!vectors) {
      made.targets = upload.add(labels_of(*batch));
    }
    made.masks = eval_patch_masks(patches_, made.samples, rows);
    if (made.masks.defined()) {
      made.masks = upload.add(made.masks);
    }
    const at::Tensor bytes = upload.send();
    loader_.keep(upload.sent());
    made.inputs = owner_.normalizer_.inputs(bytes, rows);
    if (vectors) {
      made.targets = owner_.normalizer_.targets(bytes, batch->count);
    }
    return made;
  }

  void done(const Progress& progress) {
    const std::lock_guard lock(done_mutex_);
    progress(++done_, count_);
  }

  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
  }

 private:
  std::size_t tail_bytes() const {
    if (owner_.device_.is_cpu()) {
      return 0;
    }
    constexpr std::int64_t kTensors = 2; // labels and masks
    constexpr std::int64_t kLabel = sizeof(std::int64_t);
    constexpr std::int64_t kNumber = sizeof(float);
    const std::int64_t row = kLabel + kNumber * patches_;
    return DeviceUpload::room_for(kTensors, owner_.options_.batch * row);
  }

  const Evaluator& owner_;
  std::int64_t patches_;
  DeviceUploads uploads_; // guarded by mutex_
  data::EvalSharding sharding_;
  std::int64_t count_;
  std::mutex mutex_;
  data::Loader loader_; // guarded by mutex_
  bool failed_ = false; // guarded by mutex_
  std::int64_t clipped_ = 0; // guarded by mutex_
  std::mutex done_mutex_;
  std::int64_t done_ = 0; // guarded by done_mutex_
};

Evaluator::Evaluator(
    std::shared_ptr<const data::Index> index,
    const config::Recipe& recipe,
    const models::ModelSpec& spec,
    c10::Device device,
    const Options& options)
    : loss_(recipe.train.loss),
      label_lists_(recipe.data.eval.multi_label),
      tta_(recipe.eval.tta),
      spec_(spec),
      seen_(with_room_for_views(tta_, recipe.data.preprocess, spec)),
      rows_(data::open_rows(
          std::move(index),
          read_options(recipe, spec_, seen_))),
      bad_samples_(job::bad_sample_policy(recipe, /*train=*/false)),
      normalizer_(recipe.data.preprocess, seen_, device),
      device_(device),
      left_out_(left_out(rows_->index().subset(), spec, device)),
      options_(options) {}

EvalCounts Evaluator::run(
    networks::Model& model,
    dist::Group& control,
    const Progress& progress,
    SampleResults* results) const {
  model.eval();
  Batches batches(
      *this, model.masked_patches(), control.rank(), control.size());
  const auto lanes = static_cast<std::size_t>(std::clamp<std::int64_t>(
      batches.count(), 1, std::max(1, options_.lanes)));
  std::vector<Found> found(lanes);
  {
    const Tf32Scope tf32(
        device_.type(), options_.precision == config::Precision::kTf32);
    const OneIntraOpThread one_thread;
    on_threads(lanes, [&](std::size_t i) {
      const OneIntraOpThread mine;
      try {
        found[i] = lane(model, batches, progress, results != nullptr);
      } catch (...) {
        batches.fail();
        throw;
      }
    });
  }
  Found all;
  for (const Found& one : found) {
    all.counts.add(one.counts);
    all.outcomes.insert(
        all.outcomes.end(), one.outcomes.begin(), one.outcomes.end());
    all.scores.add(one.scores);
  }
  all.counts.clipped = batches.clipped();
  if (results != nullptr) {
    results->outcomes = gather_outcomes(control, all.outcomes);
  }
  EvalCounts counts = all.counts.reduced(control);
  if (label_lists_) {
    Scores scores = gather_scores(control, all.scores);
    counts.map =
        mean_average_precision(scores, rows_->index(), spec_.num_classes);
    if (results != nullptr) {
      results->scores = std::move(scores);
    }
  }
  return counts;
}

std::optional<image::Image> Evaluator::picture(std::int64_t sample) const {
  if (spec_.features > 0) {
    return std::nullopt;
  }
  return data::picture_of(
      *rows_,
      sample,
      {static_cast<int>(seen_.image_size.width),
       static_cast<int>(seen_.image_size.height)},
      spec_.channels);
}

at::Tensor Evaluator::outputs_of(
    networks::Model& model,
    const at::Tensor& inputs,
    const at::Tensor& masks) const {
  const at::Tensor outputs = mean_over_views(model, inputs, masks);
  return left_out_.defined()
      ? outputs.masked_fill(left_out_, -std::numeric_limits<double>::infinity())
      : outputs;
}

at::Tensor Evaluator::mean_over_views(
    networks::Model& model,
    const at::Tensor& inputs,
    const at::Tensor& masks) const {
  const AutocastScope autocast(
      device_.type(), product_type(options_.precision));
  if (tta_ == config::Tta::kNone) {
    return model.forward(inputs, masks);
  }
  const auto views = views_of(tta_, inputs, spec_.image_size);
  at::Tensor sum;
  double weights = 0.0;
  for (const View& view : views) {
    const at::Tensor outputs =
        model.forward(view.images, masks).to(at::kFloat) * view.weight;
    sum = sum.defined() ? sum + outputs : outputs;
    weights += view.weight;
  }
  return sum / weights;
}

Evaluator::Found Evaluator::lane(
    networks::Model& model,
    Batches& batches,
    const Progress& progress,
    bool wants_outcomes) const {
  const at::NoGradGuard no_grad;
  Found found;
  EvalTally tally;
  OutcomeTally outcomes;
  while (const auto batch = batches.take()) {
    const at::Tensor outputs = outputs_of(model, batch->inputs, batch->masks);
    if (label_lists_) {
      add_label_lists(outputs, batch->samples, found);
    } else if (config::has_classes(loss_)) {
      tally.add(outputs, batch->targets, batch->rows());
      if (rows_->index().has_label_sets()) {
        found.counts.add_real(outputs, rows_->index(), batch->samples);
      }
      if (wants_outcomes) {
        outcomes.add(outputs, batch->targets, batch->samples);
      }
    } else {
      tally.add_losses(sample_losses(
          {.kind = loss_},
          outputs.narrow(0, 0, batch->rows()).to(at::kFloat),
          batch->targets));
    }
    batches.done(progress);
  }
  found.counts.add(tally.counts());
  found.outcomes = outcomes.outcomes();
  return found;
}

void Evaluator::add_label_lists(
    const at::Tensor& outputs,
    std::span<const std::int64_t> samples,
    Found& found) const {
  const at::Tensor values =
      outputs.narrow(0, 0, std::ssize(samples)).to(at::kFloat).cpu();
  found.counts.add_losses(sample_losses(
      {.kind = config::LossKind::kBinaryCrossEntropy},
      values,
      /*targets=*/{},
      multi_hot(rows_->index(), samples, values.size(1))));
  found.scores.add(values, samples);
}

Evaluator make_evaluator(const Session& session, std::function<bool()> leave) {
  const int threads =
      session.job.threads * static_cast<int>(session.plan.replicas);
  return {
      session.eval_index,
      session.job.recipe,
      session.spec,
      session.device,
      {.batch = session.plan.eval_batch,
       .batches = session.job.recipe.eval.batches.value_or(0),
       .threads = session.loader_threads(),
       .lanes = session.device.is_cpu() ? threads : 1,
       .precision = session.eval_precision.precision,
       .allocate = session.slot_allocator(),
       .leave = std::move(leave)}};
}

} // namespace vitrain::engine
