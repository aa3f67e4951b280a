#pragma once

#include <memory>

#include <ATen/core/Generator.h>

#include "models/families/spec.h"
#include "networks/model.h"

// One line per family of models/: the family and the function that builds its
// networks, defined in the family's own file.
#define VITRAIN_NETWORKS(NETWORK)           \
  NETWORK(kVit, make_vit)                   \
  NETWORK(kDeit, make_vit)                  \
  NETWORK(kMae, make_mae)                   \
  NETWORK(kSwin, make_swin)                 \
  NETWORK(kResNet, make_resnet)             \
  NETWORK(kResNetPlus, make_resnet)         \
  NETWORK(kResNetV2, make_resnet_v2)        \
  NETWORK(kRegNet, make_regnet)             \
  NETWORK(kEfficientNet, make_efficientnet) \
  NETWORK(kMobileNet, make_efficientnet)    \
  NETWORK(kGhostNet, make_ghostnet)         \
  NETWORK(kShuffleNet, make_shufflenet)     \
  NETWORK(kSqueezeNet, make_squeezenet)     \
  NETWORK(kDenseNet, make_densenet)         \
  NETWORK(kVgg, make_vgg)                   \
  NETWORK(kAlexNet, make_alexnet)           \
  NETWORK(kInception, make_inception)       \
  NETWORK(kGoogLeNet, make_inception)       \
  NETWORK(kConvNeXt, make_convnext)         \
  NETWORK(kMixer, make_mixer)               \
  NETWORK(kSwinV2, make_swin_v2)            \
  NETWORK(kBeit, make_beit)                 \
  NETWORK(kCait, make_cait)                 \
  NETWORK(kXcit, make_xcit)                 \
  NETWORK(kPvtV2, make_pvt_v2)              \
  NETWORK(kPoolFormer, make_poolformer)     \
  NETWORK(kPit, make_pit)                   \
  NETWORK(kCrossVit, make_crossvit)         \
  NETWORK(kConvMixer, make_convmixer)       \
  NETWORK(kLevit, make_levit)               \
  NETWORK(kVolo, make_volo)                 \
  NETWORK(kCoat, make_coat)                 \
  NETWORK(kMobileOne, make_byob)            \
  NETWORK(kMobileVit, make_byob)            \
  NETWORK(kHaloNet, make_byob)              \
  NETWORK(kBotNet, make_byob)               \
  NETWORK(kTieredResNet, make_byob)         \
  NETWORK(kHvt, make_hvt)                   \
  NETWORK(kConvNet, make_convnet)           \
  NETWORK(kCifarNet, make_cifarnet)         \
  NETWORK(kMlp, make_mlp)

namespace vitrain::networks {

#define VITRAIN_DECLARE(family, make) extern const MakeNetwork make;
VITRAIN_NETWORKS(VITRAIN_DECLARE)
#undef VITRAIN_DECLARE

// Builds the network of `spec` by its family's MakeNetwork (model.h), and adds
// its head dropout and adapters. Throws Error(kInternal) if the family has no
// MakeNetwork, and Error(kUsage) for patterns of spec.lora without a layer.
std::shared_ptr<Model> make_network(
    const models::ModelSpec& spec,
    const at::Generator& generator);

} // namespace vitrain::networks
