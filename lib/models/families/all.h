#pragma once

#include <array>

#include "models/families/convnet.h"
#include "models/families/convnext.h"
#include "models/families/efficientnet.h"
#include "models/families/mixer.h"
#include "models/families/mlp.h"
#include "models/families/regnet.h"
#include "models/families/resnet.h"
#include "models/families/swin.h"
#include "models/families/vit.h"

namespace vitrain::models {

// In the order of `vitrain models`.
inline constexpr std::array kFamilies{
    &kVit,
    &kDeit,
    &kSwin,
    &kResNet,
    &kRegNet,
    &kEfficientNet,
    &kConvNeXt,
    &kMixer,
    &kConvNet,
    &kMlp};

} // namespace vitrain::models
