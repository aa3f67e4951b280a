#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vitrain::data {

constexpr std::int64_t kTarBlock = 512;

// The block of 512 bytes in front of a member of a tar archive; a view.
class TarHeader {
 public:
  explicit TarHeader(std::string_view block) : block_(block) {}

  // Whether the checksum is that of the block.
  bool is_valid() const;
  bool is_zero() const { return block_.find_first_not_of('\0') == block_.npos; }
  char type() const;
  // With the part in front that ustar has a field of its own for.
  std::string name() const;
  // Nothing for what is no number, or negative, or beyond 2^55.
  std::optional<std::int64_t> size() const;
  // Of GNU's old sparse files: whether a block with more of the file's map
  // comes behind this header, and behind such a block.
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

// What a pax header says about the member behind it.
struct PaxRecords {
  std::optional<std::string> path;
  std::optional<std::int64_t> size;
  bool sparse = false; // GNU's files with holes

  // Adds the records of `text` ("LENGTH KEY=VALUE\n", one behind the other).
  // False when they are damaged.
  bool read(std::string_view text);
};

} // namespace vitrain::data
