#pragma once

#include <memory>

#include "data/sources/index.h"
#include "data/sources/source.h"

namespace vitrain::data {

// Lists a dataset. Throws Error(kData) naming the path, with advice.
Index list(const SourceOptions& options);

// Opens the images that an index lists; not for vectors (open_rows() reads
// them). Throws Error(kData) if a file that holds many images, such as an
// archive, cannot be opened.
std::unique_ptr<Source> open(std::shared_ptr<const Index> index);

// Throws Error(kData) if there is only one class, so that there is nothing to
// learn. Accepts vectors.
void check_for_training(const Index& index);
// Throws Error(kData) naming the first difference between the classes of
// training and evaluation data, since labels would have different meanings; for
// vectors, between the numbers of features and targets.
void check_same_classes(const Index& train, const Index& eval);

} // namespace vitrain::data
