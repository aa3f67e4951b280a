#include "logging/picture.h"

#include "core/system/files.h"

namespace vitrain::logging {

std::optional<Picture> read_png(const std::filesystem::path& path) {
  constexpr std::size_t kLargestPicture = std::size_t{64} << 20;
  // Bytes of the header up to width and height.
  constexpr std::size_t kSizes = 16;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return std::nullopt;
  }
  Picture picture;
  picture.png = read_file(path, kLargestPicture, ExitCode::kStorage);
  if (picture.png.size() < kSizes + 8 ||
      !picture.png.starts_with("\x89PNG\r\n")) {
    return std::nullopt;
  }
  const auto number_at = [&](std::size_t place) {
    std::int64_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      value = value << 8 | static_cast<unsigned char>(picture.png[place + i]);
    }
    return value;
  };
  picture.width = number_at(kSizes);
  picture.height = number_at(kSizes + 4);
  return picture;
}

} // namespace vitrain::logging
