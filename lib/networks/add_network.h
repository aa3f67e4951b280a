#pragma once

#include "models/families/family.h"
#include "networks/model.h"

namespace vitrain::networks {

// Registers a family of a program that uses this library, in this process only:
// its names are then allowed as `model.name`, and `make` builds its networks.
// Call it first in main(), because workers are processes of the same program.
// `family` must live until the process ends. Throws Error(kInternal) if a
// family of that name exists.
void add_family(const models::Family& family, MakeNetwork make);

// Registers a family whose network class has a (spec, generator) constructor.
template <typename Network>
void add_family(const models::Family& family) {
  add_family(family, construct<Network>);
}

} // namespace vitrain::networks
