#include "data/kinds/tar_header.h"

#include "core/text.h"

// Sources: POSIX.1-2017, pax, "ustar Interchange Format" and "pax Extended
// Header"; GNU tar's manual, "Basic Tar Format".
namespace vitrain::data {
namespace {

// Parses an octal number that may be surrounded by spaces and followed by zero
// bytes; 0 for a field of only these, nullopt for any other text.
std::optional<std::int64_t> octal(std::string_view bytes) {
  std::size_t i = bytes.find_first_not_of(' ');
  std::int64_t value = 0;
  for (; i < bytes.size() && bytes[i] >= '0' && bytes[i] <= '7'; ++i) {
    value = value * 8 + (bytes[i] - '0');
  }
  for (; i < bytes.size(); ++i) {
    if (bytes[i] != ' ' && bytes[i] != '\0') {
      return std::nullopt;
    }
  }
  return value;
}

} // namespace

bool TarHeader::is_valid() const {
  constexpr Span kChecksum{148, 8};
  if (std::ssize(block_) != kTarBlock) {
    return false;
  }
  const auto stored = octal(field(kChecksum));
  // The checksum is the sum of all bytes, with spaces in place of the checksum
  // itself; some old programs summed signed bytes.
  std::int64_t as_unsigned = 0;
  std::int64_t as_signed = 0;
  for (std::size_t i = 0; i < block_.size(); ++i) {
    const bool inside =
        i >= kChecksum.start && i < kChecksum.start + kChecksum.size;
    const char c = inside ? ' ' : block_[i];
    as_unsigned += static_cast<unsigned char>(c);
    as_signed += static_cast<signed char>(c);
  }
  return stored == as_unsigned || stored == as_signed;
}

char TarHeader::type() const {
  return block_[156];
}

// Returns a field up to its first zero byte.
std::string_view TarHeader::text(Span span) const {
  const std::string_view bytes = field(span);
  return bytes.substr(0, bytes.find('\0'));
}

std::string TarHeader::name() const {
  constexpr Span kName{0, 100};
  constexpr Span kMagic{257, 6};
  constexpr Span kPrefix{345, 155};
  // In GNU's format this field contains times instead of the name's prefix.
  const bool ustar = field(kMagic) == std::string_view("ustar\0", 6);
  std::string name(ustar ? text(kPrefix) : std::string_view());
  if (!name.empty()) {
    name += '/';
  }
  return name += text(kName);
}

std::optional<std::int64_t> TarHeader::size() const {
  const std::string_view bytes = field({124, 12});
  const auto first = static_cast<unsigned char>(bytes.front());
  if ((first & 0x80) == 0) {
    return octal(bytes);
  }
  // GNU's format for large numbers: the first bit is set, and a big-endian
  // number follows it.
  std::uint64_t value = first & 0x7F;
  for (const char c : bytes.substr(1)) {
    if (value >> 47 != 0) {
      return std::nullopt;
    }
    value = value << 8 | static_cast<unsigned char>(c);
  }
  return static_cast<std::int64_t>(value);
}

bool TarHeader::has_more_map() const {
  return block_[482] != '\0';
}

bool TarHeader::has_more_map_behind(std::string_view block) {
  return block[504] != '\0';
}

bool PaxRecords::read(std::string_view text) {
  while (text.find_first_not_of('\0') != text.npos) {
    const std::size_t blank = text.find(' ');
    std::int64_t length = 0;
    if (blank == text.npos || !parse_int(text.substr(0, blank), length) ||
        length <= static_cast<std::int64_t>(blank) + 1 ||
        length > std::ssize(text) ||
        text[static_cast<std::size_t>(length) - 1] != '\n') {
      return false;
    }
    const std::string_view record =
        text.substr(blank + 1, static_cast<std::size_t>(length) - blank - 2);
    text.remove_prefix(static_cast<std::size_t>(length));
    const std::size_t equal = record.find('=');
    if (equal == record.npos) {
      return false;
    }
    const std::string_view key = record.substr(0, equal);
    const std::string_view value = record.substr(equal + 1);
    if (key == "path") {
      path = std::string(value);
    } else if (key == "size") {
      std::int64_t number = 0;
      if (!parse_int(value, number) || number < 0) {
        return false;
      }
      size = number;
    } else if (key.starts_with("GNU.sparse.")) {
      sparse = true;
    }
  }
  return true;
}

} // namespace vitrain::data
