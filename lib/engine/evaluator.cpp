#include "engine/evaluator.h"

#include <ATen/ATen.h>

#include "data/loader.h"
#include "engine/data_options.h"
#include "engine/loss.h"
#include "engine/precision.h"

namespace vitrain::engine {

Evaluator::Evaluator(
    std::shared_ptr<const data::Index> index,
    const config::Recipe& recipe,
    const models::ModelSpec& spec,
    c10::Device device,
    const Options& options)
    : loss_(recipe.train.loss),
      rows_(data::open_rows(
          std::move(index),
          transform_options(recipe, spec, /*train=*/false))),
      bad_samples_(bad_sample_policy(recipe, /*train=*/false)),
      normalizer_(recipe.data.preprocess, spec, device),
      options_(options) {}

EvalCounts Evaluator::run(
    models::Model& model,
    dist::Group& control,
    const Progress& progress) const {
  const at::NoGradGuard no_grad;
  model.eval();
  const data::EvalSharding sharding(size(), options_.batch, control.size());
  const std::int64_t batches = sharding.batches_of(control.rank());
  data::Loader loader(
      *rows_,
      [&](std::int64_t sequence, std::vector<data::Draw>& draws) {
        if (sequence >= batches) {
          return false;
        }
        for (const std::int64_t sample :
             sharding.samples_of(control.rank(), sequence)) {
          draws.push_back({.sample = sample});
        }
        return true;
      },
      {.threads = options_.threads,
       .depth = 2,
       .capacity = options_.batch,
       .bad_samples = bad_samples_,
       .allocate = options_.allocate});

  EvalCounts counts;
  const auto next = [&] {
    return options_.leave && options_.leave() ? nullptr : loader.next();
  };
  while (const data::Batch* batch = next()) {
    const at::Tensor inputs = normalizer_.inputs(*batch, options_.batch);
    at::Tensor outputs;
    {
      const AutocastScope autocast(inputs.device().type(), options_.bf16);
      outputs = model.forward(inputs, /*drop=*/{});
    }
    const at::Tensor targets = normalizer_.targets(*batch);
    if (loss_ != config::LossKind::kMse) {
      counts.add(outputs, targets, batch->count);
    } else {
      counts.add_losses(sample_losses(
          {.kind = loss_},
          outputs.narrow(0, 0, batch->count).to(at::kFloat),
          targets));
    }
    progress(batch->sequence + 1, batches);
  }
  return counts.reduced(control);
}

} // namespace vitrain::engine
