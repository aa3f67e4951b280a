#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <c10/core/Device.h>

#include "config/sections/recipe.h"
#include "data/load/loader.h"
#include "data/load/tolerant_rows.h"
#include "models/families/spec.h"
#include "networks/model.h"
#include "results/prediction.h"

namespace vitrain::engine {

// Classifies images on all devices of this process. All batches have the same
// shape, and on a CPU one thread computes a batch, so that predictions are
// bit-equal on any number of devices of one type.
class Predictor {
 public:
  struct Options {
    std::int64_t batch = 1; // images
    std::int64_t top = 5; // classes to return per image, if there are as many
    int threads = 1; // decoding threads
    int lanes = 1; // batches that a device computes at the same time
    // True: each class has an independent probability (sigmoid). False: the
    // probabilities sum to 1 (softmax).
    bool multi_label = false;
    bool features = false; // also return the classifier's inputs
    // Resolved: not kAuto.
    config::Precision precision = config::Precision::kFp32;
    data::SlotAllocator allocate{}; // allocator of batch memory
  };
  // Receives the predictions of images `first`, first + 1, .... Called in the
  // order of the images, one call at a time, from any thread.
  using Take = std::function<void(
      std::int64_t first,
      std::span<const results::Prediction> predictions)>;

  // Sets the model to evaluation mode, moves it to the first device and copies
  // it to the other GPUs; CPU devices share it. `recipe` defines the
  // preprocessing.
  Predictor(
      std::shared_ptr<networks::Model> model,
      const models::ModelSpec& spec,
      const config::Recipe& recipe,
      std::span<const c10::Device> devices,
      const Options& options);

  // Predicts all images of `rows`. For an unreadable image, or if the outputs
  // are not finite, the prediction has no classes but the reason
  // (Prediction::problem). Ends with the first exception of `take` or of a
  // device, and rethrows it.
  void run(const data::TolerantRows& rows, const Take& take) const;

 private:
  struct Replica {
    std::shared_ptr<networks::Model> model;
    c10::Device device;
  };
  class Batches;
  class InOrder;

  // Body of a lane: a thread that computes batches on replica `index`.
  void lane(std::size_t index, Batches& batches, InOrder& results) const;

  models::ModelSpec spec_;
  config::PreprocessConfig preprocess_;
  Options options_;
  std::vector<Replica> replicas_;
};

} // namespace vitrain::engine
