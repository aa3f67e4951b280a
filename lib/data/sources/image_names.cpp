#include "data/sources/image_names.h"

#include <algorithm>
#include <array>

#include "core/ascii.h"

namespace vitrain::data {

std::string detail::lower_extension(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == name.npos ? "" : ascii_lower(std::string(name.substr(dot)));
}

std::span<const std::string_view> detail::image_extensions() {
  static constexpr auto kExtensions = std::to_array<std::string_view>(
      {".jpg",
       ".jpeg",
       ".jfif",
       ".png",
       ".webp",
       ".avif",
       ".tif",
       ".tiff",
       ".bmp",
       ".ppm",
       ".pgm",
       ".pbm",
       ".gif",
       kPackedSuffix});
  return kExtensions;
}

bool detail::has_image_name(std::string_view name) {
  const auto extensions = image_extensions();
  return std::ranges::find(extensions, lower_extension(name)) !=
      extensions.end();
}

bool is_tar_name(std::string_view name) {
  return detail::lower_extension(name) == ".tar";
}

bool detail::is_hidden(std::string_view path) {
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.starts_with('.') || part == "__MACOSX") {
      return true;
    }
    if (slash == path.npos) {
      return false;
    }
    path.remove_prefix(slash + 1);
  }
}

} // namespace vitrain::data
