#pragma once

#include <string>
#include <vector>

#include "config/load/loaded.h"

namespace vitrain::models {

// A name of a network or of published weights, as other programs write it.
struct PublishedName {
  std::string network; // vitrain's name; "": unknown
  // Name of the weights in config::foreign::find_published():
  // "resnet50.a1_in1k" or "ResNet50_Weights.IMAGENET1K_V2"; "": any weights of
  // the network.
  std::string weights;
  // Repository of the Hugging Face hub: "timm/resnet50.a1_in1k"; "": none
  // named.
  std::string repository;
  std::string revision = "main"; // of the repository: a branch, tag or commit
};

// Reads a name of
// - timm: "resnet50", "resnet50.a1_in1k", also after "timm/" or "timm:";
// - the Hugging Face hub: "ORG/NAME", "ORG/NAME@REVISION", also after
//   "hf-hub:", "hf_hub:" or "https://huggingface.co/";
// - torchvision: "vit_b_16", "ViT_B_16_Weights.IMAGENET1K_V1", also after
//   "torchvision.models.", "torchvision:" or "torchvision/";
// - PaddleViT: "pvtv2_b0".
// Members except `revision` are empty if the name does not say them. For
// NAME.TAG with an unknown tag they are all empty, unless "timm" precedes it.
// No network or weights need to exist.
PublishedName read_published_name(const std::string& given);

// Replaces other programs' names of networks in model.name and
// train.distill.teacher, also in the model.name of each of loaded.files, by
// vitrain's. Replaces a tag in model.pretrained (IMAGENET1K_V2, DEFAULT) by the
// name of model.name's weights, unless a file is called so. Unknown ones stay.
// Returns a note for each replaced model.name or teacher.
std::vector<std::string> use_published_names(config::PartialRecipe& loaded);

} // namespace vitrain::models
