#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/archives/tar_reader.h"
#include "data/sources/data_file.h"
#include "data/sources/index.h"

namespace vitrain::data {

// The archives that a path of kind tar means.
struct TarPath {
  std::vector<std::string> files;
  // The folder inside them that has the dataset, "a/b"; "" for all there is.
  std::string inside;
};

// Whether a file is an archive by its name, x.tar or X.TAR.
bool is_tar_name(std::string_view name);

// `path` is a file; a folder, for the .tar files in it; a pattern with
// {000..146}, {a,b}, *, ? or [...]; or a file and a folder inside it
// (all.tar/train). Folders that are there mean themselves, also where their
// names have such characters. Files of a folder and of * are in byte order.
// Throws Error(kData) when nothing is found.
TarPath find_tars(const std::string& path);

// "a{1..3}b" -> "a1b", "a2b", "a3b"; numbers get leading zeros if one of the
// bounds has some. Text without braces gives itself. Throws Error(kData) for
// braces that cannot be read, or make more than a million names.
std::vector<std::string> expand_braces(const std::string& pattern);

// Where the image is that a member of archive number `file`, called `archive`,
// is. Throws Error(kData) for more bytes than an image may have.
Index::Place place_of(
    const TarMember& member,
    std::uint32_t file,
    const std::string& archive);

// An archive that is open for reading at any place, by any number of threads.
class TarFile : public DataFile {
 public:
  // Throws Error(kData) naming the path.
  explicit TarFile(const std::string& path);

  // For TarReader; valid as long as this object.
  ReadAt reader() const;
  // The bytes of a member, after a check that its header still stands before
  // them.
  void read(std::int64_t offset, std::int64_t size, std::string& bytes) const;
};

} // namespace vitrain::data
