#include "data/load/rows.h"

#include <filesystem>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "data/load/pipeline.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

using Pixels = std::vector<std::uint8_t>;

// The first sample of a folder as evaluation sees it.
Pixels first_row(const TempFolder& folder, bool turn) {
  TransformOptions options;
  options.decode.exif_orientation = turn;
  options.size = 16;
  SourceOptions source;
  source.path = folder.path();
  const auto rows =
      open_rows(std::make_shared<const Index>(list(source)), options);
  Pixels pixels(rows->bytes());
  const auto scratch = rows->make_scratch();
  rows->fill({}, pixels, *scratch);
  return pixels;
}

TEST(Rows, TurnImagesByTheirTagsOnlyWhenAsked) {
  const auto formats = image_file("").parent_path().parent_path() / "formats";
  for (const char* extension : {".jpg", ".png", ".webp"}) {
    SCOPED_TRACE(extension);
    // Equal pixels in two files: upright, and turned by 90 degrees in the
    // metadata.
    const TempFolder upright;
    const TempFolder turned;
    for (const auto& [folder, name] :
         {std::pair{&upright, "exif_1"}, {&turned, "exif_6"}}) {
      const std::string file = std::string(name) + extension;
      std::filesystem::create_directory(folder->path() / "a");
      std::filesystem::copy_file(formats / file, folder->path() / "a" / file);
    }
    const Pixels plain = first_row(upright, false);
    EXPECT_EQ(first_row(upright, true), plain);
    EXPECT_EQ(first_row(turned, false), plain);
    EXPECT_NE(first_row(turned, true), plain);
  }
}

} // namespace
} // namespace vitrain::data
