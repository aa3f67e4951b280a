#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vitrain::data {

// Reads the next bytes into `into` and returns their number; 0 at the end.
using ReadBytes = std::function<std::size_t(std::span<char> into)>;

// Opens a text file for one sequential read; its size is not limited. Throws
// Error(kData) if it is not a regular file; `use` describes the expected kind
// of file in the message.
ReadBytes open_text(const std::filesystem::path& path, const char* use);

// Reads bytes one by one from a buffer that is filled by large reads.
class Characters {
 public:
  explicit Characters(ReadBytes read) : read_(std::move(read)) {}

  static constexpr int kEnd = -1;
  // peek() returns the next byte, or kEnd; next() also consumes it.
  int peek() { return position_ < filled_ || fill() ? front() : kEnd; }
  int next() {
    const int c = peek();
    position_ += c == kEnd ? 0 : 1;
    return c;
  }
  // Skips a UTF-8 byte order mark if one comes next; call it before reading
  // anything.
  void skip_byte_order_mark();

 private:
  int front() const { return static_cast<unsigned char>(buffer_[position_]); }
  bool fill();

  ReadBytes read_;
  std::array<char, std::size_t{64} << 10> buffer_{};
  std::size_t position_ = 0;
  std::size_t filled_ = 0;
};

// Reads the lines of a text, which end with LF, CR LF or CR. Skips a byte order
// mark.
class Lines {
 public:
  // `name` is for messages.
  Lines(ReadBytes read, std::string name);

  // Reads the next line, without its line end. Returns false at the end. Throws
  // Error(kData) if the line has zero bytes or is longer than 8192 bytes.
  bool next(std::string& line);
  // Returns the number of the last line read, from 1; 0 before the first.
  std::int64_t number() const { return number_; }

 private:
  Characters characters_;
  std::string name_;
  std::int64_t number_ = 0;
};

// Maximum number of fields in a record. kMostFields is for tables that people
// write; kAnyFields is for tables that programs write, which may have a column
// per class.
inline constexpr std::size_t kMostFields = 1000;
inline constexpr std::size_t kAnyFields = static_cast<std::size_t>(-1);

// Reads the records of a table with fields separated by commas (RFC 4180) or
// another `separator`. A quoted field may contain separators, quotes (doubled)
// and line ends. Skips and counts records of one blank field, which are empty
// lines. Skips a byte order mark. Skips a first line `sep=;`, by which
// spreadsheets declare the separator, if it declares `separator` (as read by
// separator_in()).
class CsvRecords {
 public:
  CsvRecords(
      ReadBytes read,
      std::string name,
      char separator = ',',
      std::size_t most_fields = kMostFields);

  // Reads the next record; returns false at the end. Throws Error(kData),
  // naming the line, if the file is malformed.
  bool next(std::vector<std::string>& fields);
  // Returns the number of the line on which the last record starts, from 1; 0
  // before the first record.
  std::int64_t number() const { return number_; }
  std::int64_t empty_lines() const { return empty_lines_; }

 private:
  // Read a field; return true if the record has another field after it.
  bool read_field(std::string& field);
  void read_quoted(std::string& field);
  bool end_of_field();
  void append(std::string& field, int c);

  Characters characters_;
  std::string name_;
  char separator_;
  std::size_t most_fields_;
  std::int64_t line_ = 1; // number of the line of the next character
  std::int64_t number_ = 0;
  std::int64_t empty_lines_ = 0;
};

// Separators of .csv files, in the order in which they are tried.
inline constexpr std::array kSeparators = {',', ';', '\t'};
// Returns a name for messages: "a comma", "a semicolon", "a tab", or for any
// other separator its quoted form, such as "'|'".
std::string separator_name(char separator);
// Returns the separator that a first line `sep=;` declares; nullopt for any
// other line.
std::optional<char> separator_in(std::string_view first_line);

// Collects problems of single lines, which may be added in any order. Reports
// the five with the lowest line numbers in full and the number of the others.
class LineProblems {
 public:
  explicit LineProblems(std::string name) : name_(std::move(name)) {}

  void add(std::int64_t line, const std::string& text);
  // Throws Error(kData) if a problem was added.
  void throw_if_any() const;

 private:
  std::string name_;
  std::vector<std::pair<std::int64_t, std::string>> first_; // sorted by line
  std::int64_t count_ = 0;
};

} // namespace vitrain::data
