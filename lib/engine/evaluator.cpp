#include "engine/evaluator.h"

#include <ATen/ATen.h>

#include "data/loader.h"
#include "engine/data_options.h"
#include "engine/precision.h"

namespace vitrain::engine {

Evaluator::Evaluator(
    std::shared_ptr<const data::Index> index,
    const config::Recipe& recipe,
    std::int64_t image_size,
    c10::Device device,
    const Options& options)
    : source_(data::open(std::move(index))),
      transform_(transform_options(recipe, image_size, /*train=*/false)),
      normalizer_(
          recipe.data.preprocess.mean,
          recipe.data.preprocess.std,
          image_size,
          device),
      options_(options) {}

EvalCounts Evaluator::run(
    models::Model& model,
    dist::Group& control,
    const Progress& progress) const {
  const at::NoGradGuard no_grad;
  model.eval();
  const data::EvalSharding sharding(
      source_->size(), options_.batch, control.size());
  const std::int64_t batches = sharding.batches_of(control.rank());
  data::Loader loader(
      *source_,
      transform_,
      [&](std::int64_t sequence, data::BatchRequest& request) {
        if (sequence >= batches) {
          return false;
        }
        request.samples = sharding.samples_of(control.rank(), sequence);
        return true;
      },
      {.threads = options_.threads, .depth = 2, .capacity = options_.batch});

  EvalCounts counts;
  while (const data::Batch* batch = loader.next()) {
    const at::Tensor images = normalizer_.images(*batch, options_.batch);
    at::Tensor logits;
    {
      const AutocastScope autocast(images.device().type(), options_.bf16);
      logits = model.forward(images, /*drop_path=*/{});
    }
    counts.add(logits, normalizer_.labels(*batch), batch->count);
    progress(batch->sequence + 1, batches);
  }
  return counts.reduced(control);
}

} // namespace vitrain::engine
