#pragma once

#include "models/families/family.h"
#include "networks/model.h"

namespace vitrain::networks {

// Adds a family of a program that uses this library: its names can be
// `model.name`, and all else that is done with families is done with it. For
// this process alone, so it is the first call in main(), before that looks
// whether it is a worker: workers are the same program. `family` has to live as
// long as the process. Throws Error(kInternal) where a family has that name.
void add_family(const models::Family& family, MakeNetwork make);

// The same with networks that are constructed from what MakeNetwork is given.
template <typename Network>
void add_family(const models::Family& family) {
  add_family(family, construct<Network>);
}

} // namespace vitrain::networks
