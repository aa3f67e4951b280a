#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/sources/index.h"

namespace vitrain::data {

// The images of a dataset whose classes are folders, on a disk or in an
// archive: numbers classes and samples as ClassOrder says. Holds a path and 32
// bytes for each.
class ImageTree {
 public:
  // `path` is relative to the dataset, with '/' between its parts.
  void add(std::string_view path, Index::Place place = {});

  std::int64_t size() const { return std::ssize(images_); }
  // Removes the folders with which all paths begin, except for the innermost
  // folder of images, which is their class.
  void strip_common_folders();

  // Fills samples, classes, labels, names, their starts and, for archives, the
  // places; adds notes. `class_map` has the names of a class map, or is empty.
  // Throws Error(kData) when no image is in a folder, or two archives have a
  // file of one name; of two in one archive the later one counts, as when it is
  // unpacked.
  void fill(
      ClassOrder order,
      const std::vector<std::string>& class_map,
      Index::Contents& contents) &&;

 private:
  struct Image {
    std::uint64_t name = 0; // where its path starts in names_
    Index::Place place;
    std::int32_t label = 0;
  };
  const char* path(const Image& image) const {
    return names_.data() + image.name;
  }
  void label_images(
      ClassOrder order,
      const std::vector<std::string>& class_map,
      Index::Contents& contents);
  void sort(ClassOrder order);
  std::int64_t drop_replaced();

  std::string names_; // zero-terminated paths
  std::vector<Image> images_;
};

} // namespace vitrain::data
