#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vitrain::data {

constexpr std::int64_t kTarBlock = 512;

// View of the 512-byte header block of a member of a tar archive.
class TarHeader {
 public:
  explicit TarHeader(std::string_view block) : block_(block) {}

  // Returns true if the checksum matches the block.
  bool is_valid() const;
  bool is_zero() const { return block_.find_first_not_of('\0') == block_.npos; }
  char type() const;
  // Returns the full name, including ustar's prefix field.
  std::string name() const;
  // Size of the member's content in bytes; nullopt if it is not a number in [0,
  // 2^55).
  std::optional<std::int64_t> size() const;
  // For GNU's old sparse files, whose map of data regions may continue in
  // further blocks: return true if another such block follows this header, or
  // follows the map block `block`.
  bool has_more_map() const;
  static bool has_more_map_behind(std::string_view block);

 private:
  struct Span {
    std::size_t start;
    std::size_t size;
  };
  std::string_view field(Span span) const {
    return block_.substr(span.start, span.size);
  }
  std::string_view text(Span span) const;

  std::string_view block_;
};

// Records of a pax header; they describe the next member (those of a global
// header: all later members).
struct PaxRecords {
  std::optional<std::string> path;
  std::optional<std::int64_t> size;
  bool sparse = false; // GNU's sparse file (file with holes)

  // Parses and adds records ("LENGTH KEY=VALUE\n" ...); ignores other keys.
  // Returns false if they are malformed.
  bool read(std::string_view text);
};

} // namespace vitrain::data
