#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace vitrain::data {

// Throws Error(kStorage), with advice, if the path exists, even as a dangling
// link.
void check_absent(const std::filesystem::path& path);

// Writes a tar archive (ustar, with a pax header for names of more than 100
// bytes). Owner, time and mode are the same for all members, so equal files
// give equal archives. Every method throws Error(kStorage) naming the file if
// writing fails.
class TarWriter {
 public:
  // Creates the file; it must not exist.
  explicit TarWriter(const std::filesystem::path& file);

  // Adds a regular file. Throws Error(kData) if it has 8 GiB or more.
  void add(std::string_view name, std::string_view bytes);
  // Bytes written so far.
  std::int64_t size() const { return size_; }
  // Writes the end of the archive and closes it. Must be called once, last; the
  // destructor does not do it.
  void finish();

 private:
  void header(std::string_view name, std::size_t size, char type);
  void check_written() const;
  void write(std::string_view bytes);
  void pad();

  std::filesystem::path path_;
  std::ofstream out_;
  std::int64_t size_ = 0;
};

} // namespace vitrain::data
