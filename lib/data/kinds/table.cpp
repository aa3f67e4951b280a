#include "data/kinds/table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"
#include "data/sources/lines.h"

namespace vitrain::data {
namespace {

constexpr std::size_t kMostTableBytes = std::size_t{1} << 30;

// Appends a number as fp32. Returns false if fp32 cannot represent it as a
// finite number.
bool append(Table& table, double value) {
  const auto number = static_cast<float>(value);
  table.values.push_back(number);
  return std::isfinite(number);
}

class CsvReader {
 public:
  CsvReader(std::string name, std::string_view text)
      : name_(std::move(name)), text_(text) {}

  Table read() {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text_.starts_with(kByteOrderMark)) {
      text_.remove_prefix(kByteOrderMark.size());
    }
    while (!text_.empty()) {
      ++line_;
      const std::size_t end = text_.find('\n');
      const std::string_view line = trim(text_.substr(0, end));
      text_.remove_prefix(end == text_.npos ? text_.size() : end + 1);
      if (line_ == 1) {
        declared_ = separator_in(line);
      }
      if (!line.empty() && !(line_ == 1 && declared_)) {
        read_line(line);
      }
    }
    return std::move(table_);
  }

 private:
  void read_line(std::string_view line) {
    if (table_.rows == 0 && !named_) {
      table_.separator = declared_ ? *declared_ : separator_of(line);
    }
    const auto cells = split(line, table_.separator);
    if (table_.rows == 0 && !named_ && is_names(cells)) {
      named_ = true;
      return;
    }
    if (table_.rows == 0) {
      table_.columns = std::ssize(cells);
    }
    VITRAIN_CHECK_DATA(
        std::ssize(cells) == table_.columns,
        "{}:{}: has {} columns, and the first row has {}",
        name_,
        line_,
        cells.size(),
        table_.columns);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      double value = 0.0;
      VITRAIN_CHECK_DATA(
          parse_double(trim(cells[i]), value) && append(table_, value),
          "{}:{}: column {}: expected a finite number, got '{}'",
          name_,
          line_,
          i + 1,
          printable(cells[i].substr(0, 40)));
    }
    ++table_.rows;
  }

  static char separator_of(std::string_view line) {
    const auto found = std::ranges::find_if(kSeparators, [&](char separator) {
      return line.find(separator) != line.npos;
    });
    return found == kSeparators.end() ? kSeparators.front() : *found;
  }

  // Returns true if no cell is a number, as in a line of column names.
  static bool is_names(const std::vector<std::string>& cells) {
    return std::ranges::none_of(cells, [](const std::string& cell) {
      double value = 0.0;
      return parse_double(trim(cell), value);
    });
  }

  std::string name_;
  std::string_view text_;
  std::int64_t line_ = 0;
  bool named_ = false;
  std::optional<char> declared_; // separator declared by a first line `sep=;`
  Table table_;
};

// Reads NumPy's format 1.0 to 3.0 (numpy.lib.format): magic number, version,
// length of the header, the header (a Python dict as text), the numbers.
class NpyReader {
 public:
  NpyReader(std::string name, std::string_view bytes)
      : name_(std::move(name)), bytes_(bytes) {}

  Table read() {
    read_header();
    Table table;
    read_shape(table);
    const std::string type = value_of("descr");
    if (type == "'<f4'") {
      read_numbers<float>(table);
    } else if (type == "'<f8'") {
      read_numbers<double>(table);
    } else if (type == "'<i4'") {
      read_numbers<std::int32_t>(table);
    } else if (type == "'<i8'") {
      read_numbers<std::int64_t>(table);
    } else if (type == "'|u1'") {
      read_numbers<std::uint8_t>(table);
    } else {
      refuse(fmt::format("its type is {}", printable(type)));
    }
    return table;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    fail_data(
        "{}: {}; expected a .npy file of two dimensions of f4, f8, i4, i8 or "
        "u1 in C order",
        name_,
        what);
  }

  void read_header() {
    constexpr std::string_view kMagic = "\x93NUMPY";
    if (!bytes_.starts_with(kMagic) || bytes_.size() < 12) {
      refuse("it does not begin as one");
    }
    const auto byte = [&](std::size_t i) {
      return static_cast<std::size_t>(static_cast<unsigned char>(bytes_[i]));
    };
    const bool wide = byte(6) >= 2;
    std::size_t length = byte(8) | byte(9) << 8;
    if (wide) {
      length |= byte(10) << 16 | byte(11) << 24;
    }
    const std::size_t start = wide ? 12 : 10;
    if (length > bytes_.size() - start) {
      refuse("it ends in its header");
    }
    header_ = bytes_.substr(start, length);
    bytes_.remove_prefix(start + length);
  }

  // Returns the header's text after 'key': up to the next comma outside
  // brackets.
  std::string value_of(const std::string& key) const {
    const std::string quoted = "'" + key + "':";
    const std::size_t at = header_.find(quoted);
    if (at == header_.npos) {
      refuse(fmt::format("its header has no {}", key));
    }
    const std::string_view rest = header_.substr(at + quoted.size());
    std::size_t end = 0;
    int depth = 0;
    while (end < rest.size() &&
           (depth > 0 || (rest[end] != ',' && rest[end] != '}'))) {
      depth += rest[end] == '(' ? 1 : rest[end] == ')' ? -1 : 0;
      ++end;
    }
    return std::string(trim(rest.substr(0, end)));
  }

  void read_shape(Table& table) const {
    const std::string shape = value_of("shape");
    if (value_of("fortran_order") != "False") {
      refuse("it is in Fortran order");
    }
    std::vector<std::int64_t> sizes;
    if (shape.size() >= 2 && shape.front() == '(' && shape.back() == ')') {
      for (const std::string& part :
           split(std::string_view(shape).substr(1, shape.size() - 2), ',')) {
        std::int64_t size = 0;
        if (!trim(part).empty() && parse_int(trim(part), size)) {
          sizes.push_back(size);
        }
      }
    }
    constexpr std::int64_t kMost = kMostTableBytes;
    if (sizes.size() != 2 || sizes[0] < 1 || sizes[1] < 1 || sizes[0] > kMost ||
        sizes[1] > kMost / sizes[0]) {
      refuse(fmt::format("its shape is {}", printable(shape)));
    }
    table.rows = sizes[0];
    table.columns = sizes[1];
  }

  template <typename T>
  void read_numbers(Table& table) const {
    const auto count = static_cast<std::size_t>(table.rows * table.columns);
    if (bytes_.size() != count * sizeof(T)) {
      refuse(fmt::format(
          "it has {} bytes of numbers, and its shape needs {}",
          bytes_.size(),
          count * sizeof(T)));
    }
    table.values.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      T value;
      std::memcpy(&value, bytes_.data() + i * sizeof(T), sizeof(T));
      VITRAIN_CHECK_DATA(
          append(table, static_cast<double>(value)),
          "{}: row {}, column {}: not a finite number of 32 bits",
          name_,
          i / static_cast<std::size_t>(table.columns),
          i % static_cast<std::size_t>(table.columns));
    }
  }

  std::string name_;
  std::string_view bytes_;
  std::string_view header_;
};

} // namespace

Table read_table(const std::filesystem::path& path) {
  const std::string name = printable(path.native());
  const bool npy = path.extension() == ".npy";
  VITRAIN_CHECK_DATA(
      npy || path.extension() == ".csv",
      "{}: expected a .csv or .npy file",
      name);
  const std::string bytes = read_file(path, kMostTableBytes, ExitCode::kData);
  Table table =
      npy ? NpyReader(name, bytes).read() : CsvReader(name, bytes).read();
  VITRAIN_CHECK_DATA(table.rows > 0, "{}: has no row of numbers", name);
  return table;
}

} // namespace vitrain::data
