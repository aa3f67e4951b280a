#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "data/sources/lines.h"
#include "data/sources/source.h"

namespace vitrain::data {

// Returns the images without labels that the names refer to, in the order of
// the names. A name is one of:
//   - the path of an image file;
//   - a folder: all images in it and its sub-folders except hidden ones, in
//     byte order of their paths;
//   - an archive, or a folder or file in one (x.tar, x.tar/val,
//     x.tar/val/1.jpg, x-{00..12}.tar): the images in it except hidden ones, in
//     the order of the archive, called x.tar/val/1.jpg;
//   - a list (x.txt, x.csv, or any file with @ in front): each line has the
//     name of an image, folder or archive, relative to the list's folder. In a
//     text list, labels after the name of an image file are ignored. In a .csv
//     file the names are in the column with a name for paths (path, file, ...),
//     else in the first column;
//   - "-": lines of `standard_input`, read as those of a text list, but
//     relative to the working directory.
// A name without an image becomes a sample whose read() throws the reason; so
// does an entry of a folder that cannot be read (a sub-folder, or a dangling
// link). The index's notes report skipped members of archives, and archives
// that may be truncated. Throws Error(kData) if a list cannot be read, or if
// nothing is named.
std::shared_ptr<const Source> image_inputs(
    std::span<const std::string> names,
    ReadBytes standard_input);

// Returns true if a file name has the extension of a supported image format.
bool is_image_name(std::string_view name);

} // namespace vitrain::data
