#pragma once

#include "models/families/family.h"

namespace vitrain::models {

// Puts a family behind those of families(), for this process. What makes its
// networks has to be known too: networks/add_network.h is for callers. Throws
// Error(kInternal) where a family has that name.
void add_family(const Family& family);

} // namespace vitrain::models
