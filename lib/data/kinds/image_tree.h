#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/sources/index.h"

namespace vitrain::data {

// Images of a dataset whose classes are folders, on a disk or in archives.
// Numbers classes and samples as ClassOrder defines. Uses 32 bytes of memory
// per image, in addition to its path.
class ImageTree {
 public:
  // Adds an image. `path` is relative to the dataset and uses '/'. `place`: its
  // location in an archive.
  void add(std::string_view path, Index::Place place = {});

  std::int64_t size() const { return std::ssize(images_); }
  // Removes the leading folders that all paths have in common. Keeps the last
  // one of these if an image is directly in it, because that folder is the
  // image's class.
  void strip_common_folders();

  // Fills samples, classes, labels, names, name_starts and, if
  // contents.options.kind is kTar, places; adds notes. `class_map`: class names
  // from a class map (images of other classes are skipped); empty: no class
  // map. Throws Error(kData) if no image is in a class folder, if there are too
  // many classes, or if two archives contain the same path. If one archive
  // contains a path twice, the later member replaces the earlier one, as when
  // unpacking.
  void fill(
      ClassOrder order,
      const std::vector<std::string>& class_map,
      Index::Contents& contents) &&;

 private:
  struct Image {
    std::uint64_t name = 0; // offset of its path in names_
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
