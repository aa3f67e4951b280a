#pragma once

#include <array>

#include "models/families/convolutional/byob.h"
#include "models/families/convolutional/cifarnet.h"
#include "models/families/convolutional/convmixer.h"
#include "models/families/convolutional/convnet.h"
#include "models/families/convolutional/convnext.h"
#include "models/families/convolutional/efficientnet.h"
#include "models/families/convolutional/regnet.h"
#include "models/families/convolutional/resnet.h"
#include "models/families/hierarchical/coat.h"
#include "models/families/hierarchical/hvt.h"
#include "models/families/hierarchical/levit.h"
#include "models/families/hierarchical/pit.h"
#include "models/families/hierarchical/poolformer.h"
#include "models/families/hierarchical/pvt_v2.h"
#include "models/families/hierarchical/swin.h"
#include "models/families/hierarchical/swin_v2.h"
#include "models/families/mlp/mixer.h"
#include "models/families/mlp/mlp.h"
#include "models/families/transformers/beit.h"
#include "models/families/transformers/cait.h"
#include "models/families/transformers/crossvit.h"
#include "models/families/transformers/mae.h"
#include "models/families/transformers/vit.h"
#include "models/families/transformers/volo.h"
#include "models/families/transformers/xcit.h"

namespace vitrain::models {

// All families, in the order in which `vitrain models` prints them.
inline constexpr std::array kFamilies{
    &kVit,    &kDeit,         &kMae,        &kSwin,      &kSwinV2,    &kResNet,
    &kRegNet, &kEfficientNet, &kConvNeXt,   &kMixer,     &kBeit,      &kCait,
    &kXcit,   &kPvtV2,        &kPoolFormer, &kPit,       &kCrossVit,  &kVolo,
    &kCoat,   &kLevit,        &kConvMixer,  &kMobileOne, &kMobileVit, &kHaloNet,
    &kBotNet, &kHvt,          &kConvNet,    &kCifarNet,  &kMlp,
};

} // namespace vitrain::models
