#include "engine/run/start_from_images.h"

#include <algorithm>
#include <vector>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/text.h"
#include "data/load/loader.h"
#include "data/load/rows.h"
#include "data/sources/index.h"
#include "engine/inputs/normalizer.h"
#include "job/data_options.h"
#include "job/run/job.h"
#include "launch/processes/heartbeat.h"
#include "networks/image_start.h"
#include "networks/model.h"

namespace vitrain::engine {
namespace {

constexpr std::int64_t kImagesAtOnce = 256;

// Returns a plan of `count` of `all` samples, evenly spaced.
data::BatchPlan evenly(std::int64_t count, std::int64_t all) {
  return [count, all](std::int64_t sequence, std::vector<data::Draw>& draws) {
    const std::int64_t first = sequence * kImagesAtOnce;
    const std::int64_t end = std::min(first + kImagesAtOnce, count);
    for (std::int64_t i = first; i < end; ++i) {
      draws.push_back({.sample = i * all / count});
    }
    return first < end;
  };
}

} // namespace

std::vector<std::string> start_from_images(Session& session) {
  auto* network = dynamic_cast<networks::ImageStart*>(session.model.get());
  if (network == nullptr) {
    return {};
  }
  const config::Recipe& recipe = session.job.recipe;
  const std::int64_t all = session.train_index->size();
  const std::int64_t count = std::min(network->start_images(), all);
  const auto rows = data::open_rows(
      session.train_index,
      job::transform_options(recipe, session.spec, /*train=*/false));
  const Normalizer normalizer(
      recipe.data.preprocess, session.spec, c10::Device(c10::kCPU));
  data::Loader loader(
      *rows,
      evenly(count, all),
      {.threads = session.loader_threads(),
       .capacity = std::min(kImagesAtOnce, count),
       .bad_samples = job::bad_sample_policy(recipe, /*train=*/true)});
  std::vector<at::Tensor> images;
  while (const data::Batch* batch = loader.next()) {
    images.push_back(normalizer.inputs(*batch, batch->count));
    session.heartbeat.beat();
  }
  network->start_from(at::cat(images));
  return {fmt::format(
      "the first layer starts from {} training images", with_commas(count))};
}

} // namespace vitrain::engine
