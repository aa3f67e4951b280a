#pragma once

#include <span>
#include <string>
#include <string_view>

// Names of files of images and archives.
namespace vitrain::data::detail {

// Suffix appended to the name of a packed file.
inline constexpr std::string_view kPackedSuffix = ".vjc";

// Supported image formats: has_image_name() returns true if a file name has one
// of their extensions in any case; image_extensions() lists these (".jpg", ...,
// and kPackedSuffix); kImageNames has examples for messages.
bool has_image_name(std::string_view name);
std::span<const std::string_view> image_extensions();
inline constexpr const char* kImageNames = ".jpg, .png, .webp, ...";
// Returns the text from the last dot on, in lower case: ".jpg" for "x.JPG", but
// ".b/x" for "a.B/x"; "" for a name without a dot.
std::string lower_extension(std::string_view name);

// Returns true for files that systems and tools leave behind: if a part of the
// path is a dot file (.DS_Store, .ipynb_checkpoints), an AppleDouble file
// (._x.jpg) or the folder in which archives keep AppleDouble files.
bool is_hidden(std::string_view path);

} // namespace vitrain::data::detail

namespace vitrain::data {

// Returns true if the file name has the extension of an archive: x.tar or
// X.TAR.
bool is_tar_name(std::string_view name);

} // namespace vitrain::data
