#include "engine/eval/predictor.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "data/load/loader.h"
#include "engine/device/autocast.h"
#include "engine/device/on_threads.h"
#include "engine/device/one_intra_op_thread.h"
#include "engine/inputs/device_upload.h"
#include "engine/inputs/normalizer.h"
#include "engine/state/named_state.h"
#include "models/families/family.h"
#include "networks/layers/layers.h"
#include "networks/uninitialized_model.h"

namespace vitrain::engine {
namespace {

// Copies a lane's results to the host. On a GPU it uses pinned memory, and the
// lane waits for this copy only, even if other lanes have enqueued more work.
class HostCopy {
 public:
  explicit HostCopy(c10::Device device)
      : device_(device), arrived_(device.type()) {}

  // Returns `values` on the host. Valid until the next call.
  at::Tensor of(const at::Tensor& values) {
    if (device_.is_cpu()) {
      return values.contiguous();
    }
    if (!pinned_.defined()) {
      pinned_ = at::empty(
          values.sizes(),
          values.options().device(c10::kCPU).pinned_memory(true));
    }
    // Only the last batch may have fewer rows.
    at::Tensor place = pinned_.narrow(0, 0, values.size(0));
    place.copy_(values, /*non_blocking=*/true);
    const c10::impl::VirtualGuardImpl guard(device_.type());
    arrived_.record(guard.getStream(device_));
    arrived_.synchronize();
    return place;
  }

 private:
  c10::Device device_;
  c10::Event arrived_;
  at::Tensor pinned_;
};

// Returns the most probable classes of each row of [rows, classes] fp32.
std::vector<results::Prediction> predictions_of(
    const at::Tensor& values,
    std::int64_t top) {
  const auto classes = static_cast<std::size_t>(values.size(1));
  std::vector<results::Prediction> predictions;
  for (std::int64_t i = 0; i < values.size(0); ++i) {
    const float* row =
        values.const_data_ptr<float>() + static_cast<std::size_t>(i) * classes;
    results::Prediction prediction{
        .top = results::top_classes({row, classes}, top)};
    if (prediction.top.empty()) {
      prediction.problem = "the network's outputs are not finite";
    }
    predictions.push_back(std::move(prediction));
  }
  return predictions;
}

// Returns the features of images: the inputs of the classifiers joined [N, D]
// or, of a distilled network with two heads, their mean, as timm does.
at::Tensor pooled_features(
    const models::ModelSpec& spec,
    const std::vector<at::Tensor>& inputs) {
  const models::Family& family = *spec.family;
  return (family.two_heads != nullptr && family.two_heads(spec)
              ? at::stack(inputs).mean(0)
              : at::cat(inputs, 1))
      .to(at::kFloat);
}

// Adds a row of `features` [rows, D] to each prediction without a problem.
void add_features(
    const at::Tensor& features,
    std::vector<results::Prediction>& predictions) {
  const at::Tensor rows = features.cpu().contiguous();
  const float* row = rows.const_data_ptr<float>();
  for (results::Prediction& prediction : predictions) {
    if (prediction.problem.empty()) {
      prediction.features.assign(row, row + rows.size(1));
    }
    row += rows.size(1);
  }
}

} // namespace

// Batches of one Predictor::run(); each is taken by one lane.
class Predictor::Batches {
 public:
  struct Batch {
    std::int64_t sequence = 0;
    std::int64_t rows = 0;
    at::Tensor inputs; // on the device
    std::map<std::int64_t, std::string> problems{}; // by row
  };

  Batches(const Predictor& owner, const data::TolerantRows& rows)
      : rows_(rows),
        batch_(owner.options_.batch),
        uploads_(uploads_of(owner.replicas_)),
        loader_(
            rows,
            [this, size = rows.index().size()](
                std::int64_t sequence,
                std::vector<data::Draw>& draws) {
              const std::int64_t first = sequence * batch_;
              for (std::int64_t i = first; i < std::min(first + batch_, size);
                   ++i) {
                draws.push_back({.sample = i});
              }
              return !draws.empty();
            },
            {.threads = owner.options_.threads,
             .depth = 1 +
                 owner.options_.lanes *
                     static_cast<int>(owner.replicas_.size()),
             .capacity = batch_,
             .allocate = owner.options_.allocate}) {}

  // Returns the next batch, on the device of `replica`; nullopt if none is left
  // or a lane has failed.
  std::optional<Batch> take(std::size_t replica, const Normalizer& normalizer) {
    const std::lock_guard lock(mutex_);
    const data::Batch* batch = failed_ ? nullptr : loader_.next();
    if (batch == nullptr) {
      return std::nullopt;
    }
    DeviceUpload upload = uploads_[replica].open(*batch);
    const at::Tensor bytes = upload.send();
    loader_.keep(upload.sent());
    Batch taken{
        .sequence = batch->sequence,
        .rows = batch->count,
        .inputs = normalizer.inputs(bytes, batch_)};
    for (std::int64_t row = 0; row < batch->count; ++row) {
      std::string problem = rows_.problem(batch->sequence * batch_ + row);
      if (!problem.empty()) {
        taken.problems.emplace(row, std::move(problem));
      }
    }
    return taken;
  }

  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
  }

 private:
  static std::deque<DeviceUploads> uploads_of(
      const std::vector<Replica>& replicas) {
    std::deque<DeviceUploads> uploads;
    for (const Replica& replica : replicas) {
      uploads.emplace_back(replica.device);
    }
    return uploads;
  }

  const data::TolerantRows& rows_;
  std::int64_t batch_;
  std::mutex mutex_;
  std::deque<DeviceUploads> uploads_; // one per replica; guarded by mutex_
  data::Loader loader_; // guarded by mutex_
  bool failed_ = false; // guarded by mutex_
};

// Passes the lanes' results to `take` in the order of the batches.
class Predictor::InOrder {
 public:
  explicit InOrder(const Take& take) : take_(take) {}

  void put(std::int64_t sequence, std::vector<results::Prediction> results) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(sequence, std::move(results));
    while (!waiting_.empty() && waiting_.begin()->first == next_) {
      const std::vector<results::Prediction> batch =
          std::move(waiting_.extract(waiting_.begin()).mapped());
      take_(first_, batch);
      first_ += std::ssize(batch);
      ++next_;
    }
  }

 private:
  const Take& take_;
  std::mutex mutex_;
  std::map<std::int64_t, std::vector<results::Prediction>> waiting_;
  std::int64_t next_ = 0; // sequence number of the next batch
  std::int64_t first_ = 0; // its first image
};

Predictor::Predictor(
    std::shared_ptr<networks::Model> model,
    const models::ModelSpec& spec,
    const config::Recipe& recipe,
    std::span<const c10::Device> devices,
    const Options& options)
    : spec_(spec), preprocess_(recipe.data.preprocess), options_(options) {
  model->eval();
  for (const c10::Device& device : devices) {
    // Replicas on CPU devices share the model.
    std::shared_ptr<networks::Model> copy = model;
    if (!replicas_.empty() && !device.is_cpu()) {
      copy = networks::make_uninitialized_model(spec);
      load_named_state(*copy, named_state(*model));
    }
    copy->to(device);
    replicas_.push_back({std::move(copy), device});
  }
}

void Predictor::run(const data::TolerantRows& rows, const Take& take) const {
  const c10::DeviceType type = replicas_.front().device.type();
  const Tf32Scope tf32(type, options_.precision == config::Precision::kTf32);
  // Memory is pinned in this device's CUDA context.
  const c10::DeviceGuard guard(replicas_.front().device);
  Batches batches(*this, rows);
  InOrder results(take);
  const std::size_t lanes =
      replicas_.size() * static_cast<std::size_t>(options_.lanes);
  const OneIntraOpThread one_thread;
  on_threads(lanes, [&](std::size_t i) {
    const OneIntraOpThread mine;
    try {
      lane(i % replicas_.size(), batches, results);
    } catch (...) {
      batches.fail();
      throw;
    }
  });
}

void Predictor::lane(std::size_t index, Batches& batches, InOrder& results)
    const {
  const Replica& replica = replicas_[index];
  const at::NoGradGuard no_grad;
  const c10::DeviceGuard guard(replica.device);
  const Normalizer normalizer(preprocess_, spec_, replica.device);
  HostCopy host(replica.device);
  while (auto batch = batches.take(index, normalizer)) {
    at::Tensor outputs;
    networks::FeatureScope features;
    {
      const AutocastScope autocast(
          replica.device.type(), product_type(options_.precision));
      outputs = replica.model->forward(batch->inputs, /*drop=*/{});
    }
    const at::Tensor logits = outputs.narrow(0, 0, batch->rows).to(at::kFloat);
    const at::Tensor probabilities = options_.multi_label
        ? at::sigmoid(logits)
        : at::softmax(logits, /*dim=*/1);
    auto predictions = predictions_of(host.of(probabilities), options_.top);
    if (options_.features) {
      add_features(
          pooled_features(spec_, features.take()).narrow(0, 0, batch->rows),
          predictions);
    }
    for (auto& [row, problem] : batch->problems) {
      predictions[static_cast<std::size_t>(row)] = {
          .problem = std::move(problem)};
    }
    results.put(batch->sequence, std::move(predictions));
  }
}

} // namespace vitrain::engine
