#pragma once

#include <array>

#include "models/families/alexnet.h"
#include "models/families/beit.h"
#include "models/families/byob.h"
#include "models/families/cait.h"
#include "models/families/cifarnet.h"
#include "models/families/coat.h"
#include "models/families/convmixer.h"
#include "models/families/convnet.h"
#include "models/families/convnext.h"
#include "models/families/crossvit.h"
#include "models/families/densenet.h"
#include "models/families/efficientnet.h"
#include "models/families/ghostnet.h"
#include "models/families/hvt.h"
#include "models/families/inception.h"
#include "models/families/levit.h"
#include "models/families/mae.h"
#include "models/families/mixer.h"
#include "models/families/mlp.h"
#include "models/families/pit.h"
#include "models/families/poolformer.h"
#include "models/families/pvt_v2.h"
#include "models/families/regnet.h"
#include "models/families/resnet.h"
#include "models/families/resnet_v2.h"
#include "models/families/shufflenet.h"
#include "models/families/squeezenet.h"
#include "models/families/swin.h"
#include "models/families/swin_v2.h"
#include "models/families/vgg.h"
#include "models/families/vit.h"
#include "models/families/volo.h"
#include "models/families/xcit.h"

namespace vitrain::models {

// All families, in the order in which `vitrain models` prints them.
inline constexpr std::array kFamilies{
    &kVit,        &kDeit,         &kMae,        &kSwin,       &kSwinV2,
    &kResNet,     &kResNetPlus,   &kResNetV2,   &kRegNet,     &kEfficientNet,
    &kMobileNet,  &kGhostNet,     &kShuffleNet, &kSqueezeNet, &kDenseNet,
    &kVgg,        &kAlexNet,      &kInception,  &kGoogLeNet,  &kConvNeXt,
    &kMixer,      &kBeit,         &kCait,       &kXcit,       &kPvtV2,
    &kPoolFormer, &kPit,          &kCrossVit,   &kVolo,       &kCoat,
    &kLevit,      &kConvMixer,    &kMobileOne,  &kMobileVit,  &kHaloNet,
    &kBotNet,     &kTieredResNet, &kHvt,        &kConvNet,    &kCifarNet,
    &kMlp,
};

} // namespace vitrain::models
