#pragma once

#include <memory>

#include <ATen/core/Generator.h>

#include "models/families/family.h"
#include "networks/model.h"

namespace vitrain::networks {

// Makes the network of `spec`, its weights drawn from `generator`; without one
// they are on the meta device: shapes, and no memory.
using MakeNetwork =
    std::shared_ptr<Model> (*)(const models::ModelSpec&, const at::Generator&);

// Adds a family of a program that uses this library: its names can be
// `model.name`, and all else that is done with families is done with it. For
// this process alone, so it is the first call in main(), before that looks
// whether it is a worker: workers are the same program. `family` has to live as
// long as the process. Throws Error(kInternal) where a family has that name.
void add_family(const models::Family& family, MakeNetwork make);

// The same with networks that are constructed from what MakeNetwork is given.
template <typename Network>
void add_family(const models::Family& family) {
  add_family(
      family,
      [](const models::ModelSpec& spec,
         const at::Generator& generator) -> std::shared_ptr<Model> {
        return std::make_shared<Network>(spec, generator);
      });
}

} // namespace vitrain::networks
