#pragma once

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "image/image.h"
#include "image/operations/resample.h"

// Definitions that the tests share with tests/golden/image/make_fixtures.py.
namespace vitrain::image::fixtures {

inline std::filesystem::path folder() {
  return std::filesystem::path(VITRAIN_SOURCE_DIR) / "tests/golden/image";
}

inline std::vector<std::uint8_t> read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Rows of a CSV file without its header.
inline std::vector<std::vector<std::string>> rows(const std::string& name) {
  std::ifstream file(folder() / name);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::stringstream fields(line);
    rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) {
      rows.back().push_back(field);
    }
  }
  return rows;
}

// Returns the rows of all files in formats/.
inline std::vector<std::vector<std::string>> format_rows() {
  auto all = rows("formats.csv");
  for (const char* file : {"tiff_avif.csv", "avif_xmp.csv"}) {
    for (auto& row : rows(file)) {
      all.push_back(std::move(row));
    }
  }
  return all;
}

// Reads one member of a plain tar file; empty when it is not there.
inline std::vector<std::uint8_t> tar_member(
    const std::vector<std::uint8_t>& tar,
    const std::string& name) {
  for (std::size_t at = 0; at + 512 <= tar.size() && tar[at] != 0;) {
    const char* header = reinterpret_cast<const char*>(tar.data() + at);
    const std::size_t size = std::stoul(std::string(header + 124, 11), {}, 8);
    if (std::string(header, strnlen(header, 100)) == name) {
      const auto start = tar.begin() + static_cast<std::ptrdiff_t>(at) + 512;
      return {start, start + static_cast<std::ptrdiff_t>(size)};
    }
    at += 512 + (size + 511) / 512 * 512;
  }
  return {};
}

inline std::uint32_t crc(std::span<const std::uint8_t> bytes) {
  return static_cast<std::uint32_t>(
      crc32(0, bytes.data(), static_cast<uInt>(bytes.size())));
}

// The filter that Pillow's scripts call by this name.
inline Filter filter_of(const std::string& name) {
  constexpr std::array kNames{
      "nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"};
  const auto at = std::find(kNames.begin(), kNames.end(), name);
  return static_cast<Filter>(at - kNames.begin());
}

// Pixels from (seed, position), as the script's pattern().
inline Image pattern(std::uint32_t seed, int width, int height) {
  Image image;
  image.width = width;
  image.height = height;
  image.pixels.resize(static_cast<std::size_t>(width) * height * 3);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    auto v = static_cast<std::uint32_t>(i) + seed * 0x9E3779B9u;
    v = (v ^ (v >> 16)) * 0x7FEB352Du;
    v = (v ^ (v >> 15)) * 0x846CA68Bu;
    image.pixels[i] = static_cast<std::uint8_t>((v ^ (v >> 16)) >> 24);
  }
  return image;
}

// The inputs of make_augment.py: "noise" is pattern(), "dim" has few values,
// "smooth" is a picture with gradients.
inline Image
input(const std::string& kind, std::uint32_t seed, int width, int height) {
  if (kind == "smooth") {
    return resize(pattern(seed, 5, 4), width, height, Filter::kBicubic);
  }
  Image image = pattern(seed, width, height);
  if (kind == "dim") {
    for (std::uint8_t& value : image.pixels) {
      value = static_cast<std::uint8_t>(value / 3 + 40);
    }
  }
  return image;
}

} // namespace vitrain::image::fixtures
