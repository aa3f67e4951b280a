#include "small_networks.h"

#include <algorithm>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "models/families/byob.h"
#include "models/families/family.h"
#include "models/families/hvt.h"
#include "models/families/swin.h"
#include "models/families/vit.h"
#include "models/families/volo.h"

namespace vitrain::exports {

std::vector<SmallNetwork> small_networks() {
  return {
      {"vit_tiny_patch16_224", 32},
      {"vit_base_patch16_xp_224", 32},
      {"vit_dpwee_patch16_reg1_gap_256", 40}, // of which 32 are seen
      {"vit_small_patch16_18x2_224", 32},
      {"deit_tiny_distilled_patch16_224", 32},
      {"swin_tiny_patch4_window7_224", 52},
      {"resnet18", 64},
      {"resnet50", 32},
      {"resnetblur18", 64},
      {"skresnet18", 64},
      {"resnest14d", 64},
      {"resnetv2_50x1_bit", 32},
      {"convnext_atto", 32},
      {"convnextv2_atto", 32},
      {"mixer_s32_224", 64},
      {"resmlp_12_224", 32},
      {"gmlp_ti16_224", 32},
      {"swinv2_tiny_window8_256", 52},
      {"xcit_nano_12_p8_224", 32},
      {"mobileone_s0", 32},
      {"volo_d1_224", 64},
      {"coat_lite_tiny", 32},
      {"hvt_s3_patch16_224", 64},
      {"mnist_convnet", 28},
      {"mlp", 16}};
}

models::ModelSpec spec_of(const SmallNetwork& network) {
  models::ModelSpec spec = *models::find_model(network.name);
  spec.num_classes = 7;
  spec.image_size = network.side;
  if (auto* vit = std::any_cast<models::VitSpec>(&spec.numbers)) {
    vit->depth = 2;
  }
  if (std::any_cast<models::SwinSpec>(&spec.numbers) != nullptr) {
    // A grid of 13: padded windows, shifted ones, odd sides to merge.
    spec.numbers = models::SwinSpec{
        .embed_dim = 8,
        .depths = {2, 2, 1, 2},
        .heads = {1, 2, 4, 4},
        .windows = {5, 5, 2, 7}};
  }
  if (std::any_cast<models::HvtSpec>(&spec.numbers) != nullptr) {
    spec.numbers = models::HvtSpec{
        .embed_dim = 24, .heads = 2, .pool_every = 1, .depth = 2};
  }
  if (std::any_cast<models::VoloSpec>(&spec.numbers) != nullptr) {
    spec.numbers = models::VoloSpec{
        .depths = {1, 1, 1, 1},
        .outlook_width = 16,
        .outlook_heads = 2,
        .width = 32,
        .heads = 4,
        .stem_width = 8};
  }
  if (auto* byob = std::any_cast<models::ByobSpec>(&spec.numbers)) {
    for (auto& stage : byob->stages) {
      for (auto& blocks : stage) {
        blocks.depth = std::min<std::int64_t>(blocks.depth, 2);
      }
    }
  }
  return spec;
}

std::shared_ptr<networks::Model> random_network(const models::ModelSpec& spec) {
  const at::NoGradGuard no_grad;
  const auto model = networks::make_model(spec, /*seed=*/1);
  const at::Generator generator = at::detail::createCPUGenerator(/*seed=*/2);
  for (at::Tensor& parameter : model->parameters()) {
    parameter.add_(at::randn(parameter.sizes(), generator), 0.02);
  }
  for (at::Tensor& buffer : model->buffers()) {
    if (buffer.is_floating_point()) {
      buffer.add_(at::rand(buffer.sizes(), generator), 0.1);
    }
  }
  model->eval();
  return model;
}

} // namespace vitrain::exports
