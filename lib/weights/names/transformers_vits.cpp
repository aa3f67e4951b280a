#include "weights/names/transformers_vits.h"

#include <string>

#include <fmt/format.h>

#include "weights/names/dino_positions.h"

namespace vitrain::weights {

void prepare_transformers_dino(Archive& archive) {
  for (const std::string prefix : {"", "dinov2.", "dinov2_with_registers."}) {
    const std::string start = prefix + "embeddings.";
    const DinoNames names{
        .positions = start + "position_embeddings",
        .token = start + "cls_token",
        .registers = start + "register_tokens"};
    const auto classifier = archive.tensors.find("classifier.weight");
    const auto token = archive.tensors.find(names.token);
    if (classifier != archive.tensors.end() && token != archive.tensors.end() &&
        !token->second.shape.empty() && classifier->second.shape.size() == 2 &&
        classifier->second.shape[1] / 2 == token->second.shape.back()) {
      archive.notes.emplace_back(
          "transformers' classifier of DINOv2 reads the class token beside the "
          "mean of the patches; timm's and ours (vit_*_dinov2) read the class "
          "token alone and need a new one (model.head_init: fresh)");
    }
    add_class_position(archive, names);
  }
}

void prepare_transformers_siglip(Archive& archive) {
  const auto texts = std::erase_if(archive.tensors, [](const auto& tensor) {
    return tensor.first.starts_with("text_model.") ||
        tensor.first == "logit_scale" || tensor.first == "logit_bias";
  });
  if (texts > 0) {
    archive.notes.push_back(
        fmt::format("left out: {} tensors of the text's side", texts));
  }
  archive.notes.emplace_back(
      "transformers' SigLIP approximates GELU by tanh; timm's and ours compute "
      "it exactly, but for the sizes that only SigLIP 2 has");
  if (archive.tensors.contains("classifier.weight")) {
    // The classifier of transformers ignores the attention pooling.
    if (texts == 0) {
      std::erase_if(archive.tensors, [](const auto& tensor) {
        return tensor.first.starts_with("vision_model.head.");
      });
    }
    archive.notes.emplace_back(
        "transformers' classifier of SigLIP reads the mean of the patches, as "
        "that of vit_*_siglip_gap_* does");
  }
}

} // namespace vitrain::weights
