#include "data/kinds/tar_reader.h"

#include <algorithm>
#include <utility>

#include "core/check.h"
#include "core/text.h"
#include "data/sources/index.h"

namespace vitrain::data {
namespace {

constexpr std::size_t kBuffer = 16 * kTarBlock;
// Limit of a member's long name or extended header, in bytes.
constexpr std::int64_t kMostExtended = 1 << 20;

std::int64_t in_blocks(std::int64_t size) {
  return (size + kTarBlock - 1) / kTarBlock * kTarBlock;
}

// Removes leading "/" and "./", so that unpacking stays inside the target
// folder.
std::string_view without_root(std::string_view name) {
  while (name.starts_with("/") || name.starts_with("./")) {
    name.remove_prefix(name.starts_with("/") ? 1 : 2);
  }
  return name;
}

bool leads_out(std::string_view name) {
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('/'), name.size());
    if (name.substr(0, end) == "..") {
      return true;
    }
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return false;
}

using Skipped = TarReader::Skipped;
struct Sentence {
  std::int64_t Skipped::*count;
  const char* what;
};
constexpr auto kSentences = std::to_array<Sentence>({
    {&Skipped::links, "skipped links in archives"},
    {&Skipped::special, "skipped devices and FIFOs in archives"},
    {&Skipped::sparse, "skipped sparse files in archives"},
    {&Skipped::outside, "skipped members with .. in their names"},
    {&Skipped::unknown, "skipped members of unknown kinds"},
    {&Skipped::joined, "files with several archives, all of which were read"},
    {&Skipped::unclosed,
     "archives that end without zeros to close them (is the download "
     "complete?)"},
});

} // namespace

TarReader::Skipped& TarReader::Skipped::operator+=(const Skipped& other) {
  for (const Sentence& sentence : kSentences) {
    this->*sentence.count += other.*sentence.count;
  }
  return *this;
}

void TarReader::Skipped::add_to(std::vector<std::string>& notes) const {
  for (const Sentence& sentence : kSentences) {
    add_note(notes, sentence.what, this->*sentence.count);
  }
}

TarReader::TarReader(
    std::string name,
    ReadAt read,
    std::int64_t begin,
    std::int64_t end)
    : name_(std::move(name)),
      read_(std::move(read)),
      header_(begin),
      next_(begin),
      end_(end) {}

void TarReader::fail_at(std::int64_t offset, const std::string& why) const {
  fail_data("{}: byte {}: {}", name_, offset, why);
}

// Returns the block at an offset; valid until the next call. Throws if the
// archive ends before the block does.
std::string_view TarReader::block_at(std::int64_t offset) {
  if (offset + kTarBlock > end_) {
    fail_at(
        end_,
        "the archive ends where a block of 512 bytes was expected; it was cut "
        "off (is the download complete?)");
  }
  const auto inside = [&] {
    return offset >= buffer_start_ &&
        offset + kTarBlock <= buffer_start_ + std::ssize(buffer_);
  };
  if (!inside()) {
    buffer_.resize(std::min(kBuffer, static_cast<std::size_t>(end_ - offset)));
    buffer_start_ = offset;
    buffer_.resize(read_(offset, buffer_));
    if (!inside()) {
      fail_at(offset + std::ssize(buffer_), "the file ended while it was read");
    }
  }
  return std::string_view(buffer_).substr(
      static_cast<std::size_t>(offset - buffer_start_),
      static_cast<std::size_t>(kTarBlock));
}

// Reads the header at next_. Returns false at the end of the archive; throws if
// there is no valid header.
bool TarReader::read_header() {
  header_ = next_;
  if (header_ == 0 && end_ < kTarBlock) {
    fail_at(
        0,
        end_ == 0 ? "is an empty file, no tar archive"
                  : "is no tar archive: it is shorter than one header");
  }
  if (ends_unclosed()) {
    ended_ = true;
    return false;
  }
  block_ = block_at(header_);
  next_ += kTarBlock;
  const TarHeader header(block_);
  if (header.is_zero()) {
    ended_ = !find_next_archive();
    return !ended_;
  }
  if (!header.is_valid()) {
    const bool packed = header_ == 0 &&
        (block_.starts_with("\x1F\x8B") || block_.starts_with("BZh") ||
         block_.starts_with("\x28\xB5\x2F\xFD") ||
         block_.starts_with("\xFD\x37zXZ"));
    fail_at(
        header_,
        packed ? "is a compressed file; images are read at any place of an "
                 "archive, so unpack it (gunzip, unzstd) to a plain .tar"
               : "is no header of a tar archive (its checksum is wrong); the "
                 "file is damaged or no tar archive");
  }
  return true;
}

// Returns true, and counts the archive as unclosed, if less than a block
// remains after a member.
bool TarReader::ends_unclosed() {
  const std::int64_t left = end_ - next_;
  if (!whole_ || left < 0 || left >= kTarBlock) {
    return false;
  }
  ++skipped_.unclosed;
  return true;
}

// An archive ends with two zero blocks (one is accepted), followed by arbitrary
// bytes up to the end of a record. Advances to the first header of another
// archive after that; returns false if there is none.
bool TarReader::find_next_archive() {
  for (; next_ + kTarBlock <= end_; next_ += kTarBlock) {
    block_ = block_at(next_);
    const TarHeader header(block_);
    if (!header.is_zero() && header.is_valid()) {
      skipped_.joined += whole_ && !joined_ ? 1 : 0;
      joined_ = true;
      ++archive_;
      header_ = next_;
      next_ += kTarBlock;
      return true;
    }
  }
  return false;
}

// Returns the size of the member's content. Throws if the header has no valid
// size, or if the archive ends before the end of the content.
std::int64_t TarReader::body_size(const PaxRecords& records) const {
  const auto size = records.size ? records.size : TarHeader(block_).size();
  if (!size) {
    fail_at(
        header_, "the size in the header is no number, negative or too large");
  }
  if (*size > end_ - next_) {
    fail_at(
        header_,
        fmt::format(
            "a member of {} bytes begins here, and {} are left: the archive "
            "was cut off (is the download complete?)",
            *size,
            end_ - next_));
  }
  return *size;
}

void TarReader::skip_body(std::int64_t size) {
  next_ += in_blocks(size);
}

// Reads a header that extends the next one (long name, pax records) into
// `records`. Returns false if this is not such a header.
bool TarReader::read_extended(PaxRecords& records) {
  const char type = TarHeader(block_).type();
  if (type != 'L' && type != 'K' && type != 'x' && type != 'X' && type != 'g') {
    return false;
  }
  const TarMember body{"", next_, body_size(/*records=*/{})};
  skip_body(body.size);
  if (type == 'K') { // the long target of a link
    return true;
  }
  const std::string bytes = contents(body, kMostExtended);
  if (type == 'L') {
    records.path = bytes.substr(0, bytes.find('\0'));
  } else if (!(type == 'g' ? defaults_ : records).read(bytes)) {
    fail_at(header_, "the pax header that begins here is damaged");
  } else if (type == 'g') {
    records = defaults_;
  }
  return true;
}

// Skips a file of GNU's old sparse format, which may have map blocks between
// header and content.
void TarReader::skip_sparse_file() {
  const std::int64_t size = body_size(/*records=*/{});
  bool more = TarHeader(block_).has_more_map();
  while (more) {
    more = TarHeader::has_more_map_behind(block_at(next_));
    next_ += kTarBlock;
  }
  skip_body(size);
}

// Returns true for a regular file; otherwise skips the member's content and
// counts the member, unless it is a folder. Throws for a part of an archive in
// several volumes.
bool TarReader::is_regular() {
  switch (TarHeader(block_).type()) {
    case '0':
    case '\0':
    case '7': // contiguous
      return true;
    case '1':
    case '2':
      ++skipped_.links;
      return false; // links have no content, whatever their size field says
    case '3':
    case '4':
    case '6':
      ++skipped_.special;
      return false;
    case '5':
      return false;
    case 'S':
      ++skipped_.sparse;
      skip_sparse_file();
      return false;
    case 'M':
      fail_at(
          header_,
          "is a part of an archive in several volumes, which is not read");
    default:
      ++skipped_.unknown;
      skip_body(body_size(/*records=*/{}));
      return false;
  }
}

// Reads the member of the current header into `member`. Returns false if it is
// skipped.
bool TarReader::read_member(const PaxRecords& records, TarMember& member) {
  if (!is_regular()) {
    return false;
  }
  const std::string name =
      records.path ? *records.path : TarHeader(block_).name();
  member.size = body_size(records);
  member.offset = next_;
  member.archive = archive_;
  skip_body(member.size);
  if (name.find('\0') != name.npos) {
    fail_at(header_, "the name of a member has zero bytes");
  }
  member.name = without_root(name);
  if (records.sparse) {
    ++skipped_.sparse;
    return false;
  }
  if (leads_out(name)) {
    ++skipped_.outside;
    return false;
  }
  // A name that ends with '/' is a folder in v7 archives, which have no type
  // for folders.
  return !member.name.empty() && !member.name.ends_with('/');
}

bool TarReader::next(TarMember& member) {
  PaxRecords records = defaults_;
  while (!ended_ && read_header()) {
    whole_ = !read_extended(records);
    if (!whole_) {
      continue;
    }
    if (read_member(records, member)) {
      return true;
    }
    records = defaults_;
  }
  return false;
}

std::string TarReader::contents(const TarMember& member, std::int64_t most)
    const {
  if (member.size > most) {
    fail_at(
        member.offset,
        fmt::format(
            "{} bytes are more than the limit of {}", member.size, most));
  }
  std::string bytes(static_cast<std::size_t>(member.size), '\0');
  const std::int64_t inside = member.offset - buffer_start_;
  if (inside >= 0 && inside + member.size <= std::ssize(buffer_)) {
    bytes.assign(buffer_, static_cast<std::size_t>(inside), bytes.size());
    return bytes;
  }
  const std::size_t got = read_(member.offset, bytes);
  if (got < bytes.size()) {
    fail_at(
        member.offset + static_cast<std::int64_t>(got),
        "the file ended while it was read");
  }
  return bytes;
}

} // namespace vitrain::data
