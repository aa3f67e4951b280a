#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "data/source.h"

namespace vitrain::data {

// Behind the name of a file that was packed.
inline constexpr std::string_view kPackedSuffix = ".vjc";

struct PackOptions {
  std::filesystem::path folder; // where the archives go; made if missing
  std::string name; // of the archives: name-000000.tar, ...
  std::int64_t shard_bytes = std::int64_t{1} << 30; // an archive ends behind it
  int threads = 1;
  // Called now and then with the images that are done, from this thread.
  std::function<void(std::int64_t done, std::int64_t all)> progress;
};

struct PackReport {
  std::int64_t images = 0;
  std::int64_t packed = 0; // the others are there as they were
  std::int64_t bytes_before = 0; // of the images' files
  std::int64_t bytes_after = 0; // of what stands for them
  std::vector<std::filesystem::path> archives;
};

// Writes the images of a source into tar archives that `kind: tar` reads, each
// class a folder; plain JPEG files packed (image/packed_jpeg.h), others as they
// are. Throws Error(kData) for a source without files or a file that cannot be
// read, Error(kStorage) when an archive exists or cannot be written.
PackReport pack(const Source& source, const PackOptions& options);

// Writes the files in a tar archive below `folder`, packed ones as they were
// before. Returns their number. Throws like pack(), and for damaged archives.
std::int64_t unpack(
    const std::filesystem::path& archive,
    const std::filesystem::path& folder);

} // namespace vitrain::data
