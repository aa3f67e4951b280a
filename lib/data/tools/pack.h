#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "data/sources/source.h"

namespace vitrain::data {

// Behind the name of a file that was packed.
inline constexpr std::string_view kPackedSuffix = ".vjc";

struct PackOptions {
  std::filesystem::path folder; // where the archives go; made if missing
  std::string name; // of the archives: name-000000.tar, ...
  // How the source was listed: its order, and whether by a class map.
  ClassOrder class_order = ClassOrder::kTorchvision;
  bool class_map = false;
  std::int64_t shard_bytes = std::int64_t{1}
      << 30; // an archive ends after this size
  int threads = 1;
  // Called now and then with the images that are done, from this thread.
  std::function<void(std::int64_t done, std::int64_t all)> progress;
};

struct PackReport {
  std::int64_t images = 0;
  std::int64_t packed = 0; // all other images are copied unchanged
  std::int64_t bytes_before = 0; // of the images' files
  std::int64_t bytes_after = 0; // of their packed forms
  std::vector<std::filesystem::path> archives;
  // Options for list() that give the same classes and labels.
  SourceOptions source;
};

// Throws Error(kData) for a dataset whose images have any number of labels: the
// archives hold one of each.
void check_packable(const Index& index);

// Writes the images of a source into tar archives that `kind: tar` reads; plain
// JPEG files packed (image/jpeg/packed_jpeg.h), all other files unchanged.
// Images keep their names if folders determine their labels; otherwise they
// become WebDataset samples in the order of the source: NUMBER.jpg and
// NUMBER.cls. NAME-classes.txt has the class names if the archives do not
// contain them. Throws Error(kData) for a source without files, a file that
// cannot be read or the name of a class that is not one line, Error(kStorage)
// when a file exists or cannot be written.
PackReport pack(const Source& source, const PackOptions& options);

struct UnpackReport {
  std::int64_t files = 0;
  std::vector<std::string> notes; // skipped members, one sentence each
};

// Writes the files in a tar archive below `folder`, packed ones as they were
// before. Throws Error(kData) for a damaged archive, Error(kStorage) when a
// file exists or cannot be written.
UnpackReport unpack(
    const std::filesystem::path& archive,
    const std::filesystem::path& folder);

} // namespace vitrain::data
