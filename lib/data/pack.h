#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "data/sources/source.h"

namespace vitrain::data {

struct PackOptions {
  std::filesystem::path folder; // folder of the archives; created if missing
  std::string name; // prefix of the archives' names: name-000000.tar, ...
  // How the source was listed: its class order, and whether it used a class
  // map.
  ClassOrder class_order = ClassOrder::kTorchvision;
  bool class_map = false;
  // Size in bytes after which a new archive is begun.
  std::int64_t shard_bytes = std::int64_t{1} << 30;
  int threads = 1;
  // Called after each group of images, on the thread that called pack(), with
  // the number of finished images and of all images.
  std::function<void(std::int64_t done, std::int64_t all)> progress;
};

struct PackReport {
  std::int64_t images = 0;
  std::int64_t packed = 0; // packed images; all others are copied unchanged
  std::int64_t bytes_before = 0; // total size of the images' files
  std::int64_t bytes_after = 0; // total size of the images in the archives
  std::vector<std::filesystem::path> archives;
  // Options with which list() gives the same classes and labels from the
  // archives.
  SourceOptions source;
};

// Throws Error(kData) if the images of a dataset have any number of labels:
// archives store exactly one label per image.
void check_packable(const Index& index);

// Writes the images of a source into tar archives that `kind: tar` can read:
// JPEG files packed where possible (image/jpeg/packed_jpeg.h), all other files
// unchanged. Images keep their names if their folders determine their labels;
// otherwise they become WebDataset samples NUMBER.jpg (or another extension)
// and NUMBER.cls in the order of the source. Packed files get the suffix .vjc.
// Writes the class names to NAME-classes.txt if the source had a class map or
// the archives do not determine them. Throws Error(kData) if the source has
// pixels instead of files or label lists, if a file cannot be read, or if the
// class names cannot be written one per line; Error(kStorage) if an output file
// exists or cannot be written.
PackReport pack(const Source& source, const PackOptions& options);

struct UnpackReport {
  std::int64_t files = 0;
  // One sentence for each kind of skipped member or irregularity.
  std::vector<std::string> notes;
};

// Writes the files of a tar archive below `folder` and restores packed ones
// (.vjc) to their original content and name. Throws Error(kData) if the archive
// is damaged, Error(kStorage) if a file exists or cannot be written.
UnpackReport unpack(
    const std::filesystem::path& archive,
    const std::filesystem::path& folder);

} // namespace vitrain::data
