#pragma once

#include <filesystem>
#include <string>

namespace vitrain::job {

// A file of weights in a checkpoint.
struct CheckpointWeights {
  std::filesystem::path file;
  std::string name; // of the checkpoint, for messages
};

// Returns the weights of a checkpoint folder after verifying all of it. `part`:
// "model", "ema" (the average), or "" for the average if there is one. `option`
// names the option that chose the part. Throws Error(kUsage) for another part,
// Error(kWeights) if the checkpoint is damaged or lacks the part.
CheckpointWeights weights_in(
    const std::filesystem::path& checkpoint,
    const std::string& part,
    const char* option);

} // namespace vitrain::job
