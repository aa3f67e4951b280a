#pragma once

#include <filesystem>
#include <string>

namespace vitrain::job {

// A file of weights in a checkpoint.
struct CheckpointWeights {
  std::filesystem::path file;
  std::string name; // printable path of the checkpoint, for messages
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
