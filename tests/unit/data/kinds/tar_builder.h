#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

namespace vitrain::data {

// Archives for tests, member by member, with every freedom to be wrong.
class TarBuilder {
 public:
  enum class Format { kUstar, kGnu, kOld };

  explicit TarBuilder(Format format = Format::kUstar) : format_(format) {}

  // A regular file. Returns where its bytes start.
  std::int64_t file(std::string_view name, std::string_view bytes) {
    return member(name, bytes, '0');
  }
  std::int64_t
  member(std::string_view name, std::string_view bytes, char type) {
    header(name, static_cast<std::int64_t>(bytes.size()), type);
    const auto offset = static_cast<std::int64_t>(bytes_.size());
    body(bytes);
    return offset;
  }
  // A header whose size need not be true.
  void header(std::string_view name, std::int64_t size, char type) {
    std::array<char, 512> block{};
    std::memcpy(
        block.data(), name.data(), std::min<std::size_t>(name.size(), 100));
    octal(block.data() + 100, 8, 0644);
    octal(block.data() + 124, 12, size);
    block[156] = format_ == Format::kOld && type == '0' ? '\0' : type;
    if (format_ == Format::kUstar) {
      std::memcpy(block.data() + 257, "ustar\00000", 8);
    } else if (format_ == Format::kGnu) {
      std::memcpy(block.data() + 257, "ustar  ", 8);
      // Times, where ustar has the first part of the name.
      octal(block.data() + 345, 12, 1234567);
    }
    block_with_checksum(block);
  }
  // As ustar stores a name of more than 100 bytes.
  std::int64_t file_with_prefix(
      std::string_view prefix,
      std::string_view name,
      std::string_view bytes) {
    header(name, static_cast<std::int64_t>(bytes.size()), '0');
    std::memcpy(last_header() + 345, prefix.data(), prefix.size());
    fix_checksum();
    const auto offset = static_cast<std::int64_t>(bytes_.size());
    body(bytes);
    return offset;
  }
  // A pax header, for the member that comes next or, with 'g', all of them.
  void pax(std::string_view key, std::string_view value, char type = 'x') {
    const std::string rest =
        " " + std::string(key) + "=" + std::string(value) + "\n";
    std::size_t length = rest.size() + 1;
    while (std::to_string(length).size() + rest.size() != length) {
      ++length;
    }
    member("PaxHeaders/x", std::to_string(length) + rest, type);
  }
  // GNU's header of a long name.
  void long_name(std::string_view name) {
    member("././@LongLink", std::string(name) + '\0', 'L');
  }
  void body(std::string_view bytes) {
    bytes_ += bytes;
    bytes_.append((512 - bytes_.size() % 512) % 512, '\0');
  }
  // The last header, to be changed; fix_checksum() afterwards.
  char* last_header() { return bytes_.data() + last_; }
  void fix_checksum() {
    std::array<char, 512> block;
    std::memcpy(block.data(), last_header(), block.size());
    checksum(block);
    std::memcpy(last_header(), block.data(), block.size());
  }

  // The whole archive, with the mark at its end.
  std::string finish() const { return bytes_ + std::string(1024, '\0'); }
  std::string unfinished() const { return bytes_; }

  static void octal(char* field, int size, std::int64_t value) {
    std::snprintf(
        field,
        static_cast<std::size_t>(size),
        "%0*llo",
        size - 1,
        static_cast<unsigned long long>(value));
  }
  static void checksum(std::array<char, 512>& block) {
    std::memset(block.data() + 148, ' ', 8);
    unsigned sum = 0;
    for (const char c : block) {
      sum += static_cast<unsigned char>(c);
    }
    std::snprintf(block.data() + 148, 8, "%06o", sum);
    block[155] = ' ';
  }

 private:
  void block_with_checksum(std::array<char, 512>& block) {
    checksum(block);
    last_ = bytes_.size();
    bytes_.append(block.data(), block.size());
  }

  Format format_;
  std::string bytes_;
  std::size_t last_ = 0;
};

} // namespace vitrain::data
