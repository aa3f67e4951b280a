#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "data/load/bad_samples.h"
#include "data/load/pipeline.h"
#include "engine/device/session.h"
#include "engine/step/train_step.h"
#include "optim/ema.h"
#include "optim/flat_state.h"
#include "optim/schedule.h"

// Converts a recipe and its plan into the options of training components.
namespace vitrain::config {
struct BadSamplesConfig;
struct Recipe;
} // namespace vitrain::config

namespace vitrain::engine {

optim::Schedule schedule_of(
    const config::ScheduleConfig& schedule,
    const config::Plan& plan);

// Returns the options for reading training images in the epochs in which
// `recipe` is config::recipe_in_epoch().
data::TransformOptions train_transform(
    const config::Recipe& recipe,
    const models::ModelSpec& spec);

// Returns the options of TrainStep. `collective_forward`:
// BatchNormExchange::forward_is_collective(). `teacher`, `ema`, `pruner`: null:
// none; must outlive the TrainStep. `is_spike`: TrainStepOptions::is_spike;
// null without train.on_spike.
TrainStepOptions step_options(
    const Session& session,
    bool collective_forward,
    networks::Model* teacher,
    optim::Ema* ema,
    const optim::Pruner* pruner,
    std::function<bool(double)> is_spike);

// Returns null if train.prune is off.
std::unique_ptr<optim::Pruner> make_pruner(
    const Session& session,
    const optim::FlatState& parameters);

// Returns null if train.ema is off.
std::unique_ptr<optim::Ema> make_ema(
    const Session& session,
    const optim::FlatState& parameters);

optim::EmaOptions ema_options(
    const config::EmaConfig& ema,
    const config::Plan& plan);

// Returns the weights of the classes in the loss (train.class_weights,
// train.class_balance), [classes] fp32 on the device; undefined if neither key
// is set.
at::Tensor class_weights(const Session& session);

// Returns true if class weights multiply the class terms within each sample's
// loss, false if they multiply the losses of whole samples.
bool weighs_terms(const config::Recipe& recipe);

// Returns weights that give classes with these numbers of samples the same
// share of the loss, with a mean of 1 over the samples (scikit-learn's
// "balanced" weights); 0 for classes without samples.
std::vector<double> balanced_class_weights(const std::vector<double>& counts);

// Returns the share of the parameters that this worker updates: all of them, or
// with dist.zero1 share number Session::rank of as many as there are workers.
optim::Share share_of(const Session& session);

// Throws Error(kUsage) if train.recompute recomputes every `every`-th block (0:
// none) and `blocks`, the number of the network's recomputable blocks, is
// smaller than `every`.
void check_recompute(std::int64_t every, std::int64_t blocks);

data::BadSampleLimits bad_sample_limits(const config::BadSamplesConfig& limits);

} // namespace vitrain::engine
