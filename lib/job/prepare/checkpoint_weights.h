#pragma once

#include <filesystem>
#include <string>

namespace vitrain::job {

// A file of weights in a checkpoint.
struct CheckpointWeights {
  std::filesystem::path file;
  std::string name; // of the checkpoint, for messages
};

// The weights in a checkpoint folder, all of which is verified: `part` is
// "model" or "ema" (their average), "" for the average where there is one.
// `option` is what people chose the part with. Throws Error(kUsage) for another
// part, Error(kWeights) where the checkpoint is damaged or has no such.
CheckpointWeights weights_in(
    const std::filesystem::path& checkpoint,
    const std::string& part,
    const char* option);

} // namespace vitrain::job
