#pragma once

#include <string>
#include <vector>

#include "engine/run/session.h"

namespace vitrain::engine {

// Where the session's model takes some of its first weights from training
// images (networks::ImageStart), gives it those: spread evenly over the
// training set, as an evaluation would see them, so that neither seed nor
// number of workers matters. Returns what is to be said; nothing: it wants
// none. Throws Error(kData) for a sample that cannot be read.
std::vector<std::string> start_from_images(Session& session);

} // namespace vitrain::engine
