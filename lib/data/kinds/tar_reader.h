#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/kinds/tar_header.h"

namespace vitrain::data {

// Reads bytes of a file from `offset` into `into`. Returns their number, which
// is smaller than into.size() only at the end of the file. Throws Error(kData)
// if reading fails.
using ReadAt =
    std::function<std::size_t(std::int64_t offset, std::span<char> into)>;

// A regular file in an archive.
struct TarMember {
  std::string name; // as in the archive, without leading "./" and "/"
  // Offset of its content in the file that holds the archive.
  std::int64_t offset = 0;
  std::int64_t size = 0;
  // Index of its archive, from 0, if several are concatenated in one file.
  std::int64_t archive = 0;
};

// Reads the headers of a tar archive in place: unpacks nothing and does not
// read the content of members. Supports ustar, the older v7 format, GNU's long
// names and pax headers (path, size). Skips folders; skips and counts links,
// devices, sparse files, members of unknown type and names with "..". Archives
// may be concatenated: reading continues after the zero blocks that end an
// archive, as with tar -i and with ignore_zeros of Python's tarfile. Zero
// blocks at the end of the file are optional. Every method throws Error(kData),
// with the archive's name, an offset and the reason, if the archive is damaged
// or ends within a member.
class TarReader {
 public:
  // Reads the archive at bytes [begin, end) of `read`. `name` is for messages.
  TarReader(
      std::string name,
      ReadAt read,
      std::int64_t begin,
      std::int64_t end);

  // Stores the next regular file in `member`. Returns false at the end.
  bool next(TarMember& member);
  // Returns the content of a member. Throws Error(kData) if it has more than
  // `most` bytes.
  std::string contents(const TarMember& member, std::int64_t most) const;

  // Counts of skipped members and of irregularities.
  struct Skipped {
    std::int64_t links = 0;
    std::int64_t special = 0; // devices, FIFOs
    std::int64_t sparse = 0; // files with holes
    std::int64_t outside = 0; // members with ".." in their name
    std::int64_t unknown = 0; // members of unknown type
    // Irregularities, not skipped members: files with several archives
    // (joined), and files that end less than a block after a member, without
    // zero blocks (unclosed).
    std::int64_t joined = 0;
    std::int64_t unclosed = 0;

    Skipped& operator+=(const Skipped& other);
    // Appends a sentence for each count that is not 0.
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
  std::int64_t header_; // offset of the last header
  // Content of the last header, until another block is read.
  std::string_view block_;
  std::int64_t next_; // offset of the next header
  std::int64_t end_;
  PaxRecords defaults_; // records of the last global pax header
  Skipped skipped_;
  bool whole_ = false; // true unless the last header only extends the next one
  bool joined_ = false; // true if the file has several archives
  std::int64_t archive_ = 0; // index of the current archive
  bool ended_ = false;
  // Read-ahead buffer, so that small members need no read of their own.
  std::string buffer_;
  std::int64_t buffer_start_ = 0;
};

} // namespace vitrain::data
