#pragma once

#include "data/sources/index.h"
#include "data/sources/labels/class_names.h"

namespace vitrain::data {

// Returns the reader of a list's labels. The names of the classes are those of
// the class map or, without one, of classes.txt in the list's folder. Labels of
// text lists are always numbers; those of a .csv file may be names.
LabelTexts make_list_labels(const SourceOptions& options);

} // namespace vitrain::data
