#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "job/hub_files.h"

namespace vitrain::job {

struct FetchedWeights {
  std::filesystem::path weights; // file or index in the cache
  std::int64_t bytes = 0; // received now, without what the cache had
};

// Downloads the weights that `name` (weights_cache.h) means, and their
// config.json and, unless they are timm's, preprocessor_config.json, if the
// repository has these, from the Hugging Face hub into its cache, in the layout
// of huggingface_hub:
//   GET ENDPOINT/ORG/NAME/resolve/REVISION/FILE
// ENDPOINT is $HF_ENDPOINT or https://huggingface.co; $HF_TOKEN is sent to it
// alone. libcurl uses the proxies of the environment. An incomplete file is
// continued; its size and, for files in the hub's large file storage, SHA-256
// are checked. Throws Error(kUsage) for a name without a repository, with
// $HF_HUB_OFFLINE or $TRANSFORMERS_OFFLINE, and as HubFiles; Error(kWeights) if
// the repository has no weights or the hub does not send what it has announced;
// Error(kStorage).
FetchedWeights fetch_weights(
    const std::string& name,
    const FetchProgress& progress);

} // namespace vitrain::job
