#pragma once

#include <filesystem>
#include <string>

#include "models/families/spec.h"
#include "weights/archive.h"

namespace vitrain::engine {

// Returns a warning if weights were trained with TensorFlow's padding of
// convolutions but the network pads evenly, or vice versa: shapes are equal,
// but outputs differ. The padding of weights follows from tensor names of some
// programs (Archive::tensorflow_padding), otherwise from the network in
// checkpoint::read_published_config(), otherwise from a network's name in the
// path of `file` (tf_efficientnet_b0). Returns "" if both agree, if the padding
// is unknown, or if the network is no EfficientNet: other families exist with
// one padding only.
std::string padding_warning(
    const models::ModelSpec& spec,
    const std::filesystem::path& file,
    const weights::Archive& archive);

} // namespace vitrain::engine
