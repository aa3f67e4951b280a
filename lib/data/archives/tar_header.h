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

  // True if the checksum matches the block.
  bool is_valid() const;
  bool is_zero() const { return block_.find_first_not_of('\0') == block_.npos; }
  char type() const;
  // Full name, including ustar's prefix field.
  std::string name() const;
  // nullopt if it is not a number in [0, 2^55].
  std::optional<std::int64_t> size() const;
  // GNU's old sparse files: true if another block of the file's map follows
  // this header, or such a block.
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

// Records of a pax header about the member after it.
struct PaxRecords {
  std::optional<std::string> path;
  std::optional<std::int64_t> size;
  bool sparse = false; // GNU's files with holes

  // Adds the records of `text` ("LENGTH KEY=VALUE\n" ...). Returns false if
  // they are damaged.
  bool read(std::string_view text);
};

} // namespace vitrain::data
