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

  // Reads a YAML map, such as args.yaml. Null keeps a word's value. Adds wrong
  // values to `problems`, and words that the program does not have to
  // unknown(), unless their value is null, false or empty.
  void
  read_yaml(const Node& root, const std::string& source, Problems& problems);
  // Reads a command line, "--model resnet50 --lr 0.5", which may begin with the
  // command and its launcher, and then the file that --config names, which has
  // lower priority. The launcher's options give world_size. Mistakes as in
  // read_yaml(). Throws Error(kUsage) for a command of another script
  // (arguments_of()), and if the file of --config cannot be read.
  void read_command(
      const std::vector<std::string>& line,
      const std::string& source,
      Problems& problems);

  const Program& program() const { return *program_; }
  // Words that the program does not have, with their values, printable:
  // "--foo 1" from a command line, "foo: 1" from YAML.
  const std::vector<std::string>& unknown() const { return unknown_; }

  // In the functions below, `name` is a Word::name of the program.

  // Returns true if the word has a value other than its default.
  bool changed(std::string_view name) const;
  // Returns true if the word was given, even with its default value. Null does
  // not count.
  bool given(std::string_view name) const { return values_.contains(name); }
  // Returns false if the value, given or default, is null or an empty text,
  // list or map.
  bool has(std::string_view name) const;
  // Return the value, given or default; null: false, 0, "" or an empty list.
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
  // Sets a word to a value; null changes nothing. Adds a problem instead if the
  // value has the wrong type or, for a word that sets a key, is a URL with user
  // information.
  void set(
      const Word& word,
      Node value,
      const std::string& source,
      Problems& problems);
  // Sets an option of a command line to the values that follow it. Adds a
  // problem if it needs a value and has none.
  void set_option(
      const Word& word,
      const std::vector<std::string>& values,
      const std::string& source,
      Problems& problems);
  // Sets words that were not given from the file of --config, if there is one.
  // Throws Error(kUsage) if it cannot be read.
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
