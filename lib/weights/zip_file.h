#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "weights/input_file.h"

namespace vitrain::weights {

// A zip archive (stored and deflated members, zip64), read with minizip. Not
// thread-safe.
class ZipFile {
 public:
  struct Member {
    std::int64_t bytes = 0; // uncompressed size
    // Place in the archive's directory, as in minizip's unz64_file_pos: byte
    // offset of the entry, and its index.
    std::uint64_t position = 0;
    std::uint64_t number = 0;
  };

  // Reads the directory. Throws Error(kWeights) for a file that is not a zip
  // archive, duplicate names, encrypted members, impossible sizes, members that
  // overlap in the file, so that their total size would exceed it, and more
  // members or unpacked bytes than the limits.
  explicit ZipFile(const InputFile& file);

  const std::map<std::string, Member>& members() const { return members_; }

  // Decompresses [skip, skip + size) of a member, which must be in members().
  // Checks the checksum if the range reaches the member's end. Throws
  // Error(kWeights).
  void read(
      const std::string& name,
      void* bytes,
      std::int64_t size,
      std::int64_t skip = 0) const;

 private:
  struct Closer {
    void operator()(void* handle) const;
  };

  std::string source_;
  std::unique_ptr<void, Closer> handle_;
  std::map<std::string, Member> members_;
};

} // namespace vitrain::weights
