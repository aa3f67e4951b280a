#pragma once

#include "data/sources/class_names.h"
#include "data/sources/index.h"

namespace vitrain::data {

// Returns the label reader of a list. Class names come from the class map or,
// without one, from classes.txt in the list's folder. Labels of text lists are
// always numbers; those of a .csv file may be names.
LabelTexts make_list_labels(const SourceOptions& options);

} // namespace vitrain::data
