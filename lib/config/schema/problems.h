#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace vitrain::config {

// Kind of layer that set a value. kDefault: a default of PaddleViT that differs
// from vitrain's. kFile: a config file. kOption: a named option, or values
// stored with weights. kSet: -set.
enum class Origin { kDefault, kFile, kOption, kSet };

// Place that set a value: a position in a file, or a source without lines, such
// as an option of the command line.
struct Position {
  std::string source; // "configs/a.yaml", "-set #2", "-batch_size"
  int line = 0; // from 1; 0: `source` has no lines
  int column = 0; // from 1; 0 without a line
  Origin origin = Origin::kFile;

  // Returns "configs/a.yaml:12:7", or only `source` without a line.
  std::string text() const;
};

// Position that set each key, by the key's path. Keys that no layer set are not
// in the map.
using Origins = std::map<std::string, Position>;

// Collects problems, so that all are reported at once.
class Problems {
 public:
  // Adds a problem; `key` is "" if it is not about a single key. `text` is
  // printed as it is: pass untrusted parts through printable().
  void add(const Position& position, const std::string& key, std::string text);

  bool empty() const { return list_.empty(); }
  std::size_t size() const { return list_.size(); }

  // Returns one line per problem, `file:line:col: key: text`, sorted by source
  // (in the order of their first problem or announce()), line and column. After
  // 100 lines, a line has the number of further problems. The last line has the
  // number of all problems.
  std::string text() const;
  // Throws Error(kUsage) with text() if there are problems.
  void throw_if_any() const;
  // Gives a new source the next position in the order of sources.
  void announce(const std::string& source);

 private:
  struct Problem {
    Position position;
    std::string key;
    std::string text;
    std::size_t rank = 0; // position of the source in the report
  };
  std::vector<Problem> list_;
  std::map<std::string, std::size_t> order_;
};

} // namespace vitrain::config
