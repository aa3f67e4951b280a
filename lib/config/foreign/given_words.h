#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/foreign/words.h"
#include "config/load/problems.h"

namespace vitrain::config::foreign {

// The words of a program with their values: those given, else its defaults.
class Words {
 public:
  explicit Words(const Program& program);

  // Reads a YAML map or a command line ("--model resnet50 --lr 0.5", optionally
  // with the command and its launcher in front); the file of --config has lower
  // priority. Adds mistakes to `problems`; unknown words are kept. Throws
  // Error(kUsage) for a command of another script, whose words have other
  // meanings.
  void
  read_yaml(const Node& root, const std::string& source, Problems& problems);
  void read_command(
      const std::vector<std::string>& line,
      const std::string& source,
      Problems& problems);

  const Program& program() const { return *program_; }
  const std::vector<std::string>& unknown() const { return unknown_; }

  // Whether it has a value other than its default.
  bool changed(std::string_view name) const;
  // Whether it was given, be it with the value of its default.
  bool given(std::string_view name) const { return values_.contains(name); }
  // False for null and for an empty text, list or map.
  bool has(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  std::string text(std::string_view name) const;
  std::vector<double> numbers(std::string_view name) const;
  std::vector<std::int64_t> integers(std::string_view name) const;
  // "opt: lamb", printable.
  std::string shown(std::string_view name) const;

 private:
  const Node& at(std::string_view name) const;
  // Sets a word to a value of the type that it takes, or adds a problem.
  void set(
      const Word& word,
      Node value,
      const std::string& source,
      Problems& problems);
  // Sets an option of a command line to the words after it.
  void set_option(
      const Word& word,
      const std::vector<std::string>& values,
      const std::string& source,
      Problems& problems);
  // Sets words without a value from the file of --config.
  void read_config_file(Problems& problems);

  const Program* program_;
  std::map<std::string, Node, std::less<>> initial_;
  std::map<std::string, Node, std::less<>> values_;
  std::vector<std::string> unknown_;
};

// Words of a shell's command, without its quotes, comments and line ends.
std::vector<std::string> split_command(std::string_view text);

} // namespace vitrain::config::foreign
