#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/kinds/tar_reader.h"
#include "data/sources/data_file.h"
#include "data/sources/index.h"

namespace vitrain::data {

// The archives that a path of kind `tar` refers to.
struct TarPath {
  std::vector<std::string> files;
  // Folder inside the archives that contains the dataset, "a/b"; "": the whole
  // archives.
  std::string inside;
};

// Finds the archives of a path: a file; a folder (its .tar files whose names do
// not start with a dot); a pattern with {000..146}, {a,b}, *, ? or [...]; or a
// file and a folder inside it (all.tar/train). Characters of a pattern in the
// name of an existing folder are taken literally. Files of a folder and of *
// are in byte order. Throws Error(kData) if a folder has no .tar file or a
// pattern matches nothing; a file that is named without *, ? or [...] may be
// missing.
TarPath find_tars(const std::string& path);

// Expands braces: "a{1..3}b" becomes "a1b", "a2b", "a3b"; "{a,b}" becomes "a",
// "b". Numbers get leading zeros if one of the bounds has some. Text without
// braces is returned unchanged. Throws Error(kData) for malformed braces, or if
// they expand to more than a million names.
std::vector<std::string> expand_braces(const std::string& pattern);

// Returns the location of an image that is a member of archive number `file`;
// `archive` is the archive's name for messages. Throws Error(kData) if the
// member is larger than the limit of an image.
Index::Place place_of(
    const TarMember& member,
    std::uint32_t file,
    const std::string& archive);

// An archive, open for reading at any offset by any number of threads.
class TarFile : public DataFile {
 public:
  // Throws Error(kData) naming the path if it is no regular file or cannot be
  // opened; does not look at the content.
  explicit TarFile(const std::string& path);

  // Returns the read function for a TarReader; valid as long as this object.
  ReadAt reader() const;
  // Reads the content of the member at `offset` into `bytes`. Throws
  // Error(kData) if the block before it is no tar header any more, or if the
  // file ends within it.
  void read(std::int64_t offset, std::int64_t size, std::string& bytes) const;
};

} // namespace vitrain::data
