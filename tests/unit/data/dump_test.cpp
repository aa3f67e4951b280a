#include "data/dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.h"
#include "data/load/rows.h"
#include "support/messages.h"
#include "unit/data/support.h"
#include "unit/image/fixtures.h"

namespace vitrain::data {
namespace {

// A .npy file, as another program would read it.
struct Array {
  std::string header;
  std::string values;
};

Array dump(const std::vector<std::string>& files, const DumpOptions& options) {
  std::string bytes;
  dump_pixels(files, options, [&](std::string_view more) { bytes += more; });
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const auto size = static_cast<std::size_t>(
      static_cast<unsigned char>(bytes.at(8)) +
      256 * static_cast<unsigned char>(bytes.at(9)));
  EXPECT_EQ((10 + size) % 64, 0u);
  EXPECT_EQ(bytes.at(9 + size), '\n');
  return {bytes.substr(10, size), bytes.substr(10 + size)};
}

std::string shape(std::size_t files, int height, int width) {
  std::ostringstream text;
  text << "{'descr': '|u1', 'fortran_order': False, 'shape': (" << files << ", "
       << height << ", " << width << ", 3), }";
  return text.str();
}

std::uint32_t crc(const std::string& bytes) {
  return static_cast<std::uint32_t>(crc32(
      0,
      reinterpret_cast<const Bytef*>(bytes.data()),
      static_cast<uInt>(bytes.size())));
}

// The pixels of torchvision's Resize and CenterCrop on Pillow's images: see
// tests/golden/data/make_dump.py.
TEST(Dump, EqualsTorchvision) {
  std::ifstream csv(
      std::filesystem::path(VITRAIN_SOURCE_DIR) / "tests/golden/data/dump.csv");
  std::string line;
  std::getline(csv, line);
  int cases = 0;
  for (; std::getline(csv, line); ++cases) {
    const std::vector<std::string> row = split(line, ',');
    ASSERT_EQ(row.size(), 7u);
    DumpOptions options;
    options.resize = std::stoi(row[1]);
    options.filter = row[2] == "bicubic" ? Filter::kBicubic
        : row[2] == "box"                ? Filter::kBox
                                         : Filter::kBilinear;
    if (row[3] != "0" && row[1] == "0") {
      options.crop = std::stoi(row[3]);
    } else if (row[3] != "0") {
      options.transform = TransformOptions{
          .size = std::stoi(row[3]),
          .filter = options.filter,
          .resize = options.resize};
    }
    const Array array = dump({image_file(row[0])}, options);
    EXPECT_THAT(
        array.header,
        testing::StartsWith(shape(1, std::stoi(row[5]), std::stoi(row[4]))));
    EXPECT_EQ(std::to_string(crc(array.values)), row[6]) << line;
  }
  EXPECT_EQ(cases, 60);
}

TEST(Dump, RefusesSizesBeyondAllImages) {
  const TempFolder folder;
  std::string wide = "P6 60000 1 255\n";
  wide.append(180000, 'x');
  const auto file = folder.write("wide.ppm", wide);
  expect_message(
      data_error([&] { dump({file.native()}, {.resize = 8192}); }),
      {"wide.ppm", "491520000", "8192", "178,956,970"});
}

TransformOptions training(int size) {
  TransformOptions options;
  options.size = size;
  options.train = true;
  options.seed = 5;
  return options;
}

TEST(Dump, OfTrainingIsWhatTheLoaderGives) {
  const TempFolder folder;
  const auto copy = [&](const char* from, const char* to) {
    std::filesystem::create_directories((folder.path() / to).parent_path());
    std::filesystem::copy_file(image_file(from), folder.path() / to);
    return (folder.path() / to).native();
  };
  const std::vector<std::string> files{
      copy("rgb_420.jpg", "a/0.jpg"),
      copy("cmyk.jpg", "a/1.jpg"),
      copy("rgb_8.png", "b/0.png")};
  SourceOptions source;
  source.path = folder.path();
  const auto rows =
      open_rows(std::make_shared<Index>(list(source)), training(24));
  const auto scratch = rows->make_scratch();
  std::string expected;
  for (std::int64_t sample = 0; sample < 3; ++sample) {
    std::vector<std::uint8_t> out(rows->bytes());
    rows->fill({.epoch = 6, .sample = sample}, out, *scratch);
    expected.append(out.begin(), out.end());
  }
  EXPECT_EQ(
      dump(files, {.transform = training(24), .epoch = 6}).values, expected);
  EXPECT_NE(
      dump(files, {.transform = training(24), .epoch = 7}).values, expected);
  // One file, as the sample that it is.
  EXPECT_EQ(
      dump(
          {files[1]},
          {.transform = training(24), .epoch = 6, .first_sample = 1})
          .values,
      expected.substr(rows->bytes(), rows->bytes()));
}

// If both sides shrink by the same factor, Pillow 13 differs for images more
// than twice as high as wide.
TEST(Dump, IsOfThePillowAskedFor) {
  const TempFolder folder;
  const image::Image tall = image::fixtures::pattern(3, 31, 97);
  std::string ppm = "P6 31 97 255\n";
  ppm.append(tall.pixels.begin(), tall.pixels.end());
  const std::vector<std::string> files{folder.write("tall.ppm", ppm).native()};
  TransformOptions transform;
  transform.size = 13;
  transform.resize = 13;
  transform.scale = {0.5, 0.5};
  transform.ratio = {0.4, 0.4};
  std::vector<std::string> training;
  for (const auto pillow : {image::Pillow::k12, image::Pillow::k13}) {
    const image::Image out =
        image::resize(tall, 13, 40, Filter::kBicubic, std::nullopt, pillow);
    const std::string expected(out.pixels.begin(), out.pixels.end());
    EXPECT_EQ(dump(files, {.resize = 13, .pillow = pillow}).values, expected);
    transform.pillow = pillow;
    transform.train = false;
    // Rows 14 to 26: half of 40 - 13, rounded to even.
    EXPECT_EQ(
        dump(files, {.transform = transform}).values,
        expected.substr(14 * 13 * 3, 13 * 13 * 3));
    transform.train = true;
    training.push_back(dump(files, {.transform = transform}).values);
  }
  EXPECT_NE(training[0], training[1]);
}

TEST(Dump, NamesBadFiles) {
  const TempFolder folder;
  const std::string good = image_file("rgb_420.jpg");
  const std::string bad = folder.write("bad\n.jpg", "text");
  const auto error_with = [&](const std::string& other) {
    return data_error([&] { dump({good, other}, {}); });
  };
  expect_message(error_with(bad), {"x0a.jpg"});
  expect_message(error_with("no/such.jpg"), {"no/such.jpg"});
  expect_message(
      error_with(image_file("cmyk.jpg")), {"cmyk.jpg", "37", "29", "61", "47"});
}

} // namespace
} // namespace vitrain::data
