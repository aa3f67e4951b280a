// Member functions of Trainer about pictures and files of training images.

#include <exception>
#include <filesystem>

#include <fmt/format.h>

#include "config/sections/train.h"
#include "core/system/files.h"
#include "data/sources/index.h"
#include "dist/group/connect.h"
#include "engine/inputs/train_inputs.h"
#include "engine/step/train_step.h"
#include "engine/train/sample_sheet.h"
#include "engine/train/trainer.h"
#include "job/run/job.h"
#include "logging/console.h"

namespace vitrain::engine {

void Trainer::draw_samples(const MicroBatch& inputs) {
  const models::ModelSpec& spec = session_.spec;
  if (!recipe_.log.samples || spec.features > 0 || inputs.inputs.size(0) == 0) {
    return;
  }
  const std::int64_t count = SampleSheet::count(
      inputs.inputs.size(0), inputs.inputs.size(2), inputs.inputs.size(3));
  samples_ = std::make_unique<SampleSheet>(
      inputs_->pictures(inputs, count),
      config::has_classes(recipe_.train.loss)
          ? inputs.targets.repeat_interleave(recipe_.train.splits())
                .narrow(0, 0, count)
                .to(at::kCPU)
          : at::Tensor(),
      session_.train_index->classes());
}

void Trainer::keep_samples(bool wait) {
  if (!samples_) {
    return;
  }
  session_.observer.hold();
  try { // a failed picture must not end a run
    const std::optional<logging::Picture> picture = samples_->take(wait);
    if (!picture) {
      return;
    }
    write_file_atomically(
        std::filesystem::path(session_.job.run_directory) / "samples.png",
        picture->png);
    session_.observer.picture("samples", *picture, /*step=*/1);
  } catch (const std::exception& error) {
    session_.observer.console().warn(
        fmt::format("samples.png is not there: {}", error.what()));
  }
  samples_.reset();
}

void Trainer::gather_bad_samples() {
  session_.observer.hold();
  const GatheredBadSamples gathered =
      bad_samples_.gather(*session_.groups.control);
  if (gathered.found > 0) {
    session_.observer.bad_samples(gathered);
  }
}

} // namespace vitrain::engine
