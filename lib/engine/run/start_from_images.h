#pragma once

#include <string>
#include <vector>

#include "engine/device/session.h"

namespace vitrain::engine {

// If the session's model initialises weights from training images
// (networks::ImageStart), passes it images spread evenly over the training set,
// preprocessed as in evaluation, so that the result does not depend on seed or
// number of workers. Returns lines to print; empty if the model needs no
// images. Throws Error(kData) for an unreadable sample if the recipe does not
// replace bad samples. Requires training data.
std::vector<std::string> start_from_images(Session& session);

} // namespace vitrain::engine
