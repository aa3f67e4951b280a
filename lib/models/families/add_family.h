#pragma once

#include "models/families/family.h"

namespace vitrain::models {

// Appends a family, which must live until the process ends, to families(), in
// this process only. Internal: callers use networks/add_network.h, which also
// registers the function that builds the networks. Throws Error(kInternal) if a
// family of that name exists.
void add_family(const Family& family);

} // namespace vitrain::models
