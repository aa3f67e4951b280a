#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/foreign/words.h"
#include "config/schema/problems.h"

namespace vitrain::config::foreign {

// Words of a program's command line with their values: the given ones, else the
// program's defaults.
class Words {
 public:
  explicit Words(const Program& program);

  // Read a YAML map or a command line ("--model resnet50 --lr 0.5", which may
  // begin with the command and its launcher). The file of --config has lower
  // priority. Add mistakes to `problems`; unknown words are kept. Throw
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

  // Returns true if the word has a value other than its default.
  bool changed(std::string_view name) const;
  // Returns true if the word was given, even with its default value.
  bool given(std::string_view name) const { return values_.contains(name); }
  // Returns false if the value is null or an empty text, list or map.
  bool has(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double number(std::string_view name) const;
  std::string text(std::string_view name) const;
  std::vector<double> numbers(std::string_view name) const;
  std::vector<std::int64_t> integers(std::string_view name) const;
  // Returns the word and its value, printable: "opt: lamb".
  std::string shown(std::string_view name) const;

  const Node& at(std::string_view name) const;

 private:
  // Sets a word to a value; adds a problem if the value has the wrong type.
  void set(
      const Word& word,
      Node value,
      const std::string& source,
      Problems& problems);
  // Sets an option of a command line to the words that follow it.
  void set_option(
      const Word& word,
      const std::vector<std::string>& values,
      const std::string& source,
      Problems& problems);
  // Sets words that have no value yet from the file of --config.
  void read_config_file(Problems& problems);

  const Program* program_;
  std::map<std::string, Node, std::less<>> initial_;
  std::map<std::string, Node, std::less<>> values_;
  std::vector<std::string> unknown_;
};

// Returns the words of a shell command, without quotes, comments and line
// continuations.
std::vector<std::string> split_command(std::string_view text);

} // namespace vitrain::config::foreign
