#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "models/published_name.h"

// Folders that contain weights published by other programs: $VITRAIN_WEIGHTS,
// the Hugging Face cache and the cache of torch.hub.
namespace vitrain::job {

// Returns the folder of the Hugging Face cache: $HF_HUB_CACHE,
// $HUGGINGFACE_HUB_CACHE, $HF_HOME/hub or $XDG_CACHE_HOME/huggingface/hub
// (without the variable ~/.cache/huggingface/hub), as huggingface_hub does.
std::filesystem::path hub_folder();

// Returns the folder of torch.hub's weights: $TORCH_HOME/hub/checkpoints or
// $XDG_CACHE_HOME/torch/hub/checkpoints (without the variable
// ~/.cache/torch/hub/checkpoints).
std::filesystem::path torch_hub_folder();

// Returns the folder of a repository ("timm/resnet50.a1_in1k") in the Hugging
// Face cache: HUB/models--timm--resnet50.a1_in1k.
std::filesystem::path hub_repository(const std::string& repository);

// Reads a value of model.pretrained that is no path as the name of published
// weights. A name that begins with "timm:", "hf-hub:", "hf_hub:" or the hub's
// address always is one. Of another name, all members but the revision are
// empty if it names neither a network nor weights, or if its part before the
// first "/" exists as a file or folder.
models::PublishedName published_weights_name(const std::string& name);

// Returns the weights files that a name means in the folders of
// describe_caches(), by their own names ("timm:resnet50.a1_in1k"; for the exact
// weights or repository of `name`, that text). If the name has no tag, all
// weights of the network are meant; the search ends at weights without a tag
// and at timm's default ones. Throws Error(kUsage) if a folder in
// $VITRAIN_WEIGHTS has several files, Error(kWeights) for an invalid index or
// ref.
std::map<std::string, std::filesystem::path> find_cached(
    const models::PublishedName& name);

// Returns the folders in which find_cached() looks, for messages.
std::string describe_caches();

} // namespace vitrain::job
