#include "job/run/partial_epoch.h"

#include "core/check.h"

namespace vitrain::job {

Json order_record(
    const data::Samplers& samplers,
    const config::Timeline& timeline,
    std::int64_t step) {
  const std::int64_t epoch = timeline.epoch_of(step);
  const data::BatchGeometry& geometry =
      samplers.of_epoch(epoch).geometry_of(epoch);
  return {
      {"workers", geometry.world},
      {"per_device", geometry.per_device},
      {"accumulate", geometry.accumulate},
      {"step", timeline.step_in_epoch(step)}};
}

namespace {

// Returns the recorded batch geometry; without a record, computes it from the
// recorded batch size and number of workers. nullopt if these do not fit.
std::optional<data::BatchGeometry> geometry_of(
    const checkpoint::Manifest& manifest,
    std::int64_t accumulate) {
  const Json& state = manifest.state;
  if (const auto order = state.find("order"); order != state.end()) {
    return data::BatchGeometry{
        .per_device = order->at("per_device").get<std::int64_t>(),
        .world = order->at("workers").get<int>(),
        .accumulate = order->at("accumulate").get<int>()};
  }
  const std::int64_t global = state.at("identity").at("global_batch");
  const std::int64_t shares = manifest.world_size * accumulate;
  if (shares < 1 || global % shares != 0) {
    return std::nullopt;
  }
  return data::BatchGeometry{
      .per_device = global / shares,
      .world = static_cast<int>(manifest.world_size),
      .accumulate = static_cast<int>(accumulate)};
}

// Returns the recorded index of the step in its epoch; `otherwise` if it is not
// recorded.
std::int64_t recorded_step(
    const checkpoint::Manifest& manifest,
    std::int64_t otherwise) {
  const auto order = manifest.state.find("order");
  return order == manifest.state.end() ? otherwise
                                       : order->value("step", otherwise);
}

} // namespace

std::optional<data::PartialEpoch> partial_epoch(
    const checkpoint::Manifest& manifest,
    const config::Timeline& timeline,
    std::int64_t accumulate) {
  const std::int64_t epoch = timeline.epoch_of(manifest.step);
  const std::int64_t steps = timeline.step_in_epoch(manifest.step);
  try {
    VITRAIN_CHECK(
        timeline.even() ||
            (manifest.epoch == epoch &&
             recorded_step(manifest, steps) == steps),
        ExitCode::kUsage,
        "the checkpoint's step {} is number {} of epoch {}, and here it is "
        "number {} of epoch {}: these workers make other numbers of steps of "
        "the epochs before. Go on with as many workers as it had",
        manifest.step,
        recorded_step(manifest, steps) + 1,
        manifest.epoch + 1,
        steps + 1,
        epoch + 1);
    const auto geometry = geometry_of(manifest, accumulate);
    if (!geometry) {
      return std::nullopt;
    }
    VITRAIN_CHECK(
        geometry->per_device > 0 && geometry->world > 0 &&
            geometry->accumulate > 0,
        ExitCode::kWeights,
        "the checkpoint's manifest has numbers of workers that cannot be");
    return data::PartialEpoch{
        .epoch = epoch, .steps = steps, .geometry = *geometry};
  } catch (const Json::exception& error) {
    fail(
        ExitCode::kWeights,
        "the checkpoint's manifest does not say whose order its epoch has: {}",
        error.what());
  }
}

} // namespace vitrain::job
