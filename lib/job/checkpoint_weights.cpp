#include "job/checkpoint_weights.h"

#include "checkpoint/find.h"
#include "checkpoint/manifest.h"
#include "core/check.h"
#include "core/text.h"

namespace vitrain::job {

CheckpointWeights weights_in(
    const std::filesystem::path& checkpoint,
    const std::string& part,
    const char* option) {
  const std::string name = printable(checkpoint.native());
  VITRAIN_CHECK(
      part.empty() || part == "model" || part == "ema",
      ExitCode::kUsage,
      "{}: '{}': a checkpoint ({}) has `model` and, of a run with train.ema, "
      "`ema`",
      option,
      printable(part),
      name);
  const checkpoint::Manifest manifest = checkpoint::verify(checkpoint);
  const bool averages = part != "model" &&
      (part == "ema" || checkpoint::lists(manifest, checkpoint::kEmaFile));
  const char* file = averages ? checkpoint::kEmaFile : checkpoint::kModelFile;
  VITRAIN_CHECK(
      checkpoint::lists(manifest, file),
      ExitCode::kWeights,
      "{}: its manifest does not list {}",
      name,
      file);
  return {
      .file = checkpoint / file,
      .name = averages ? name + " (averaged weights)" : name};
}

} // namespace vitrain::job
