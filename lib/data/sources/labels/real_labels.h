#pragma once

#include <string>

#include "data/sources/index.h"

namespace vitrain::data {

// Adds ReaL labels (Beyer et al., "Are we done with ImageNet?", 2020) as
// further labels to ImageNet's validation images. `file` is real.json: a list
// of class lists, one per image in the order of their names, possibly empty.
// Throws Error(kData) for another file, and for an image whose name is not of
// that set (ILSVRC2012_val_00000001.JPEG is the first).
Index with_real_labels(const Index& data, const std::string& file);

} // namespace vitrain::data
