#pragma once

#include <filesystem>
#include <string>

#include "models/spec.h"
#include "weights/archive.h"

namespace vitrain::engine {

// Returns a warning if weights were trained with TensorFlow's padding of
// convolutions and the network pads evenly, or the other way round: the shapes
// are the same and the outputs differ. The padding of weights is known by some
// programs' names of tensors (Archive::tensorflow_padding), by timm's
// config.json in the folder of `file`, and by the name of a network in its path
// (tf_efficientnet_b0). Returns "" if both agree, if nothing is known, and for
// networks without such a twin.
std::string padding_warning(
    const models::ModelSpec& spec,
    const std::filesystem::path& file,
    const weights::Archive& archive);

} // namespace vitrain::engine
