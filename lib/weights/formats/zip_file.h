#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "weights/formats/input_file.h"

namespace vitrain::weights {

// A zip archive (stored and deflated members, zip64), read with minizip.
class ZipFile {
 public:
  struct Member {
    std::int64_t bytes = 0; // when unpacked
    std::uint64_t position = 0; // in the archive's directory
    std::uint64_t number = 0;
  };

  // Reads the directory. Throws Error(kWeights) for a file that is no archive,
  // repeated names, encrypted members, impossible sizes, and members that share
  // bytes of the archive, so that their total would exceed it.
  explicit ZipFile(const InputFile& file);

  const std::map<std::string, Member>& members() const { return members_; }

  // Unpacks [skip, skip + size) of a member, and checks the checksum if that
  // reaches its end. Throws likewise.
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
