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

// Fills `into` with the next bytes and returns their number, 0 at the end.
using ReadBytes = std::function<std::size_t(std::span<char> into)>;

// Opens a text file of any length for one sequential read. Throws Error(kData)
// with `use`, the expected kind of file, if it is no regular file.
ReadBytes open_text(const std::filesystem::path& path, const char* use);

// Bytes one by one, in large reads.
class Characters {
 public:
  explicit Characters(ReadBytes read) : read_(std::move(read)) {}

  static constexpr int kEnd = -1;
  // The next byte, or kEnd; next() takes it.
  int peek() { return position_ < filled_ || fill() ? front() : kEnd; }
  int next() {
    const int c = peek();
    position_ += c == kEnd ? 0 : 1;
    return c;
  }
  // Takes a UTF-8 byte order mark if one comes next; call it first.
  void skip_byte_order_mark();

 private:
  int front() const { return static_cast<unsigned char>(buffer_[position_]); }
  bool fill();

  ReadBytes read_;
  std::array<char, std::size_t{64} << 10> buffer_{};
  std::size_t position_ = 0;
  std::size_t filled_ = 0;
};

// The lines of a text, which end with LF, CR LF or CR.
class Lines {
 public:
  // `name` is for messages.
  Lines(ReadBytes read, std::string name);

  // Reads the next line without its end; returns false at the end. Throws
  // Error(kData) if the file is no text.
  bool next(std::string& line);
  // Number of the last line, from 1.
  std::int64_t number() const { return number_; }

 private:
  Characters characters_;
  std::string name_;
  std::int64_t number_ = 0;
};

// Fields of a record that people write. A table that a program wrote, with a
// column for each class, may have any number.
inline constexpr std::size_t kMostFields = 1000;
inline constexpr std::size_t kAnyFields = static_cast<std::size_t>(-1);

// The records of a table whose fields stand between commas (RFC 4180), or
// another `separator`: a field in quotes may have separators, quotes (two for
// one) and line ends. Records of one empty field, which are empty lines, are
// passed over and counted. A first line `sep=;`, with which spreadsheets name
// the separator, is passed over (separator_in() reads it).
class CsvRecords {
 public:
  CsvRecords(
      ReadBytes read,
      std::string name,
      char separator = ',',
      std::size_t most_fields = kMostFields);

  // Reads the next record; returns false at the end. Throws Error(kData), with
  // the line, if the file is no such table.
  bool next(std::vector<std::string>& fields);
  // The line on which the last record starts, from 1.
  std::int64_t number() const { return number_; }
  std::int64_t empty_lines() const { return empty_lines_; }

 private:
  // Return true if the record continues after the field.
  bool read_field(std::string& field);
  void read_quoted(std::string& field);
  bool end_of_field();
  void append(std::string& field, int c);

  Characters characters_;
  std::string name_;
  char separator_;
  std::size_t most_fields_;
  std::int64_t line_ = 1; // that the next character is on
  std::int64_t number_ = 0;
  std::int64_t empty_lines_ = 0;
};

// Separators of .csv files.
inline constexpr std::array kSeparators = {',', ';', '\t'};
// Returns "a comma", "a semicolon", "a tab" or, of another one, "'|'".
std::string separator_name(char separator);
// Returns the separator that a first line `sep=;` names; nothing for any other
// line.
std::optional<char> separator_in(std::string_view first_line);

// Problems of single lines, added in any order: the first ones in full, the
// rest counted.
class LineProblems {
 public:
  explicit LineProblems(std::string name) : name_(std::move(name)) {}

  void add(std::int64_t line, const std::string& text);
  // Throws Error(kData) when something was added.
  void throw_if_any() const;

 private:
  std::string name_;
  std::vector<std::pair<std::int64_t, std::string>> first_; // in order
  std::int64_t count_ = 0;
};

} // namespace vitrain::data
