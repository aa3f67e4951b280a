#include "engine/train/batch_files.h"

#include <fcntl.h>

#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"
#include "engine/step/train_step.h"
#include "job/run/job.h"
#include "states/safetensors.h"

namespace vitrain::engine {

BatchFiles::BatchFiles(const Session& session)
    : steps_(steps_of(session.job.recipe.log.batches)),
      folder_(session.job.run().batches()) {}

void BatchFiles::write(
    std::int64_t step,
    std::int64_t k,
    const MicroBatch& batch) const {
  if (!steps_.contains(step)) {
    return;
  }
  make_folders(folder_);
  states::TensorFile content;
  const auto add = [&](const char* name, const at::Tensor& tensor) {
    if (tensor.defined()) {
      content.tensors[name] = tensor.detach().cpu().contiguous();
    }
  };
  add("inputs", batch.inputs);
  add("targets", batch.targets);
  add("shares", batch.shares);
  add("drop", batch.drop);
  const auto path = folder_ / fmt::format("step-{:06}-{}.safetensors", step, k);
  const Fd file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  std::int64_t written = 0;
  const int error = file ? states::write_safetensors(
                               file.get(), content, /*hasher=*/nullptr, written)
                         : errno;
  VITRAIN_CHECK(
      error == 0,
      ExitCode::kStorage,
      "cannot write {}: {}",
      printable(path.native()),
      error_text(error));
}

} // namespace vitrain::engine
