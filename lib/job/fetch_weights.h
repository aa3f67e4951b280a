#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "job/hub_files.h"

namespace vitrain::job {

struct FetchedWeights {
  std::filesystem::path weights; // file or index in the cache
  std::int64_t bytes = 0; // received, without files that were there
};

// Downloads the weights that `name` (weights_cache.h) means, and their
// config.json and preprocessor_config.json, from the Hugging Face hub into its
// cache, in the layout of huggingface_hub:
//   GET ENDPOINT/ORG/NAME/resolve/REVISION/FILE
// ENDPOINT is $HF_ENDPOINT or https://huggingface.co; $HF_TOKEN is sent to it
// alone. libcurl uses the proxies of the environment. An incomplete file is
// continued; its size and, for files in the hub's large file storage, SHA-256
// are checked. Throws Error(kUsage) for a name without a repository and with
// $HF_HUB_OFFLINE, Error(kWeights) if the hub does not send what it has
// announced, Error(kStorage).
FetchedWeights fetch_weights(
    const std::string& name,
    const FetchProgress& progress);

} // namespace vitrain::job
