#include "data/kinds/tar_writer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <system_error>

#include "core/check.h"
#include "core/text.h"

namespace vitrain::data {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kNameBytes = 100;
// Limit of a size field of eleven octal digits.
constexpr std::uint64_t kMostMemberBytes = std::uint64_t{1} << 33;

// Writes an octal number with leading zeros and a final zero byte into a field.
void put_octal(char* field, std::size_t bytes, std::uint64_t value) {
  field[bytes - 1] = '\0';
  for (std::size_t i = bytes - 1; i-- > 0; value /= 8) {
    field[i] = static_cast<char>('0' + value % 8);
  }
}

// Returns a record of a pax header. It begins with its own length, whose digits
// are included in that length.
std::string pax_record(std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + 1;
  while (length != rest + std::to_string(length).size()) {
    length = rest + std::to_string(length).size();
  }
  return fmt::format("{} {}={}\n", length, key, value);
}

} // namespace

void check_absent(const std::filesystem::path& path) {
  // A dangling link counts as existing; errors of the look-up are reported when
  // the file is written.
  std::error_code error;
  const auto status = std::filesystem::symlink_status(path, error);
  VITRAIN_CHECK(
      !std::filesystem::exists(status),
      ExitCode::kStorage,
      "{}: exists; give another folder or delete it",
      printable(path.native()));
}

TarWriter::TarWriter(const std::filesystem::path& file) : path_(file) {
  check_absent(file);
  out_.open(file, std::ios::binary);
  write({});
}

void TarWriter::check_written() const {
  VITRAIN_CHECK(
      out_.good(),
      ExitCode::kStorage,
      "{}: cannot be written: {}",
      printable(path_.native()),
      std::strerror(errno));
}

void TarWriter::write(std::string_view bytes) {
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  check_written();
  size_ += static_cast<std::int64_t>(bytes.size());
}

void TarWriter::pad() {
  const std::array<char, kBlock> zeros{};
  const std::size_t used = static_cast<std::size_t>(size_) % kBlock;
  if (used != 0) {
    write({zeros.data(), kBlock - used});
  }
}

// Writes a ustar header (POSIX.1-1988).
void TarWriter::header(std::string_view name, std::size_t size, char type) {
  std::array<char, kBlock> block{};
  std::copy_n(name.begin(), std::min(name.size(), kNameBytes), block.begin());
  put_octal(block.data() + 100, 8, 0644); // mode
  put_octal(block.data() + 108, 8, 0); // owner
  put_octal(block.data() + 116, 8, 0); // group
  put_octal(block.data() + 124, 12, size);
  put_octal(block.data() + 136, 12, 0); // time
  block[156] = type;
  std::memcpy(
      block.data() + 257,
      "ustar\0"
      "00",
      8);
  // The checksum is computed with spaces in its own field.
  std::fill_n(block.begin() + 148, 8, ' ');
  std::uint64_t sum = 0;
  for (const char c : block) {
    sum += static_cast<unsigned char>(c);
  }
  put_octal(block.data() + 148, 7, sum);
  write({block.data(), block.size()});
}

void TarWriter::add(std::string_view name, std::string_view bytes) {
  VITRAIN_CHECK_DATA(
      bytes.size() < kMostMemberBytes,
      "{}: {} bytes do not fit into a tar archive",
      printable(name),
      bytes.size());
  if (name.size() > kNameBytes) {
    const std::string record = pax_record("path", name);
    header("pax", record.size(), 'x');
    write(record);
    pad();
  }
  header(name, bytes.size(), '0');
  write(bytes);
  pad();
}

void TarWriter::finish() {
  const std::array<char, 2 * kBlock> zeros{};
  write({zeros.data(), zeros.size()});
  out_.close();
  check_written();
}

} // namespace vitrain::data
