#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace vitrain::config {

// Kind of layer that set a value. kDefault: a default of a dialect that differs
// from vitrain's.
enum class Origin { kDefault, kFile, kOption, kSet };

// Origin of a value: a position in a file, or an option of the command line
// (line 0).
struct Position {
  std::string source; // "configs/a.yaml", "-set #2", "-batch_size"
  int line = 0; // from 1
  int column = 0; // from 1
  Origin origin = Origin::kFile;

  // "configs/a.yaml:12:7", or the source alone.
  std::string text() const;
};

// Which layer set each key: key path -> position of its value. A key that is
// not in it has its default.
using Origins = std::map<std::string, Position>;

// Collects everything that is wrong, so that all of it is reported at once.
class Problems {
 public:
  // Adds a problem; `key` is "" if it is not about a single key. `text` is
  // printed as it is: pass untrusted parts through printable().
  void add(const Position& position, const std::string& key, std::string text);

  bool empty() const { return list_.empty(); }
  std::size_t size() const { return list_.size(); }

  // One line per problem, `file:line:col: key: text`, in the order of files
  // (as first mentioned or announced), lines and columns; long lists are cut,
  // with a note. The last line counts them all.
  std::string text() const;
  // Throws Error(kUsage) with text() when there is any.
  void throw_if_any() const;
  // Fixes the place of a source in the order of the report.
  void announce(const std::string& source);

 private:
  struct Problem {
    Position position;
    std::string key;
    std::string text;
    std::size_t rank = 0; // of the source in the report
  };
  std::vector<Problem> list_;
  std::map<std::string, std::size_t> order_;
};

} // namespace vitrain::config
