#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/archives/tar_header.h"

namespace vitrain::data {

// Bytes of a file from `offset` into `into`; fewer than asked for only at the
// file's end. Throws Error(kData) when they cannot be read.
using ReadAt =
    std::function<std::size_t(std::int64_t offset, std::span<char> into)>;

// A regular file in an archive.
struct TarMember {
  std::string name; // as in the archive, without "./" and "/" in front
  std::int64_t offset = 0; // of its bytes in the file that holds the archive
  std::int64_t size = 0;
  std::int64_t archive = 0; // of several in one file, from 0
};

// Reads the headers of a tar archive in place: nothing is unpacked, and the
// content of members is not read. Supports ustar, the older v7 format, GNU's
// long names and pax headers (path, size). Skips folders; skips and counts
// links, devices, sparse files and names with "..". Continues after the zeros
// that end an archive, as tar -i and Python's tarfile with ignore_zeros,
// because archives may be concatenated, and does not need zeros at the end of
// the file. Every method throws Error(kData), with the archive's name, an
// offset and the reason, for an archive that is damaged or truncated within a
// member.
class TarReader {
 public:
  // The archive is at [begin, end) of the bytes of `read`. `name` is for
  // messages.
  TarReader(
      std::string name,
      ReadAt read,
      std::int64_t begin,
      std::int64_t end);

  // The next regular file, or false at the end.
  bool next(TarMember& member);
  // The bytes of a member, if it has at most `most` of them.
  std::string contents(const TarMember& member, std::int64_t most) const;

  // Counts of skipped members and irregularities.
  struct Skipped {
    std::int64_t links = 0;
    std::int64_t special = 0; // devices, FIFOs
    std::int64_t sparse = 0; // files with holes
    std::int64_t outside = 0; // names with ".."
    std::int64_t unknown = 0; // kinds of members that are not known
    // Not passed over, but met: files that have several archives, and that end
    // without the zeros that close one.
    std::int64_t joined = 0;
    std::int64_t unclosed = 0;

    Skipped& operator+=(const Skipped& other);
    // A sentence for each that is not 0.
    void add_to(std::vector<std::string>& notes) const;
  };
  const Skipped& skipped() const { return skipped_; }

 private:
  [[noreturn]] void fail_at(std::int64_t offset, const std::string& why) const;
  std::string_view block_at(std::int64_t offset);
  bool read_header();
  bool read_extended(PaxRecords& records);
  bool read_member(const PaxRecords& records, TarMember& member);
  bool is_regular();
  std::int64_t body_size(const PaxRecords& records) const;
  void skip_body(std::int64_t size);
  void skip_sparse_file();
  bool ends_unclosed();
  bool find_next_archive();

  std::string name_;
  ReadAt read_;
  std::int64_t header_; // where the last header is
  std::string_view block_; // its bytes, until another block is read
  std::int64_t next_; // where the next one is
  std::int64_t end_;
  PaxRecords defaults_; // of a global header
  Skipped skipped_;
  bool whole_ = false; // a member was read, and nothing that asks for another
  bool joined_ = false; // several archives were met
  std::int64_t archive_ = 0; // that is read
  bool ended_ = false;
  // A part of the file, so that small members cost no read each.
  std::string buffer_;
  std::int64_t buffer_start_ = 0;
};

} // namespace vitrain::data
