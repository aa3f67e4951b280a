#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "data/sources/lines.h"
#include "data/sources/source.h"

namespace vitrain::data {

// Images without labels that a person names, in the order of the names. A name
// is
//   that of an image's file;
//   a folder: the images in it and below it, in byte order of their paths, but
//     for hidden ones;
//   an archive, or a folder or a file in one (x.tar, x.tar/val,
//   x.tar/val/1.jpg,
//     x-{00..12}.tar): the images in it as they lie there, called
//     x.tar/val/1.jpg;
//   a list (x.txt, x.csv; with @ in front whatever it is called), which has the
//     name of an image, a folder or an archive on each line, relative to the
//     list's folder; labels behind them, as lists for training have, do not
//     count; a table has the names in the column that is called so (path, file,
//     ...), or in its first one;
//   "-": what `standard_input` gives, a name on each line.
// A name that leads to no image is a sample whose read() throws the reason, and
// so is what cannot be read in a folder: a folder, or a link that leads
// nowhere. The index's notes say what was passed over in archives, and which of
// them may be cut off. Throws Error(kData) for a list that cannot be read, and
// where nothing is named at all.
std::shared_ptr<const Source> named_images(
    std::span<const std::string> names,
    ReadBytes standard_input);

// Returns true if a file name has the extension of a supported image format.
bool is_image_name(std::string_view name);

} // namespace vitrain::data
