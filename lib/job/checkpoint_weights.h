#pragma once

#include <filesystem>
#include <string>

namespace vitrain::job {

// A file of weights in a checkpoint.
struct CheckpointWeights {
  std::filesystem::path file;
  // For messages: printable path of the checkpoint, with " (averaged weights)"
  // after it if the part is "ema".
  std::string name;
};

// Returns the weights file of a checkpoint folder after verifying the whole
// checkpoint. `part`: "model", "ema" (averaged weights), or "" for "ema" if
// present, else "model". `option`: name of the option that chose the part, for
// messages. Throws Error(kUsage) for any other part, Error(kWeights) if the
// checkpoint is damaged or lacks the part.
CheckpointWeights weights_in(
    const std::filesystem::path& checkpoint,
    const std::string& part,
    const char* option);

} // namespace vitrain::job
