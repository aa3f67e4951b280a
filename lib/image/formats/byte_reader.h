#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/check.h"

namespace vitrain::image::detail {

// Sequential reader of bytes and little-endian numbers. A read beyond the end
// throws Error(kData), such as "damaged GIF: the file is truncated".
class ByteReader {
 public:
  ByteReader(std::span<const std::uint8_t> bytes, const char* format)
      : bytes_(bytes), format_(format) {}

  std::size_t position() const { return position_; }
  std::size_t left() const { return bytes_.size() - position_; }

  void seek(std::size_t position) {
    check(position <= bytes_.size());
    position_ = position;
  }
  std::span<const std::uint8_t> take(std::size_t count) {
    check(count <= left());
    position_ += count;
    return bytes_.subspan(position_ - count, count);
  }
  std::uint8_t u8() { return take(1)[0]; }
  std::uint16_t u16_little() {
    const auto part = take(2);
    return static_cast<std::uint16_t>(part[0] | part[1] << 8);
  }
  std::uint32_t u32_little() {
    const std::uint32_t low = u16_little();
    return low | static_cast<std::uint32_t>(u16_little()) << 16;
  }

 private:
  void check(bool there) const {
    VITRAIN_CHECK_DATA(there, "damaged {}: the file is truncated", format_);
  }

  std::span<const std::uint8_t> bytes_;
  const char* format_;
  std::size_t position_ = 0;
};

} // namespace vitrain::image::detail
