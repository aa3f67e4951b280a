#include <algorithm>
#include <iterator>
#include <ranges>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "config/foreign/foreign_args.h"
#include "config/foreign/scripts.h"
#include "core/system/files.h"
#include "core/text.h"

// Splits a command line of another program into words, and reads them as
// Python's argparse would.
namespace vitrain::config::foreign {
namespace {

constexpr std::size_t kLargestConfig = std::size_t{1} << 20; // bytes

Node scalar_node(std::string_view text) {
  Node node;
  node.kind = Node::Kind::kScalar;
  node.text = text;
  return node;
}

Node list_node(const std::vector<std::string>& words) {
  Node node;
  node.kind = Node::Kind::kList;
  std::ranges::transform(words, std::back_inserter(node.items), scalar_node);
  return node;
}

// Returns a map from `key=value` words.
Node map_node(const std::vector<std::string>& words) {
  Node node;
  node.kind = Node::Kind::kMap;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    node.entries.push_back(
        {.key = word.substr(0, equals),
         .value =
             scalar_node(equals == word.npos ? "" : word.substr(equals + 1))});
  }
  return node;
}

// Returns the names with more than one letter: "batch_size", but not "b".
std::vector<std::string_view> long_names(const Word& word) {
  std::vector<std::string_view> names;
  for (const std::string* name : {&word.name, &word.other}) {
    if (name->size() > 1) {
      names.push_back(*name);
    }
  }
  return names;
}

// Finds the options that begin with the given name. Sets the word if there is
// one, or the candidates if there are several.
void find_prefix(const Program& program, GivenOption& option) {
  const Word* found = nullptr;
  for (const Word& word : program.words) {
    const bool begins = std::ranges::any_of(long_names(word), [&](auto name) {
      return name.starts_with(option.name);
    });
    if (begins && !word.earlier && !option.name.empty()) {
      found = &word;
      option.candidates.emplace_back(word.name);
    }
  }
  if (option.candidates.size() == 1) {
    option.candidates.clear();
    option.word = found;
  }
}

// Returns the number of processes that a launcher's options start; 0 if they do
// not say it.
std::int64_t launched_workers(std::span<const std::string> launcher) {
  std::int64_t workers = 0;
  std::int64_t nodes = 1;
  for (std::size_t i = 0; i < launcher.size(); ++i) {
    std::string name = launcher[i];
    if (!is_option(name)) {
      continue;
    }
    std::string value = i + 1 < launcher.size() ? launcher[i + 1] : "";
    if (const std::size_t equals = name.find('='); equals != name.npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    name = option_name(name);
    std::int64_t number = 0;
    if (parse_int(value, number) && number > 0) {
      workers = name == "nproc_per_node" ? number : workers;
      nodes = name == "nnodes" ? number : nodes;
    }
  }
  return workers * nodes;
}

std::string dashes_of(std::string_view name) {
  std::string text = "--" + std::string(name);
  std::ranges::replace(text, '_', '-');
  return text;
}

} // namespace

GivenOption read_option(const Program& program, const std::string& given) {
  GivenOption option;
  std::string name = given;
  if (const std::size_t equals = name.find('='); equals != name.npos) {
    option.value = name.substr(equals + 1);
    name.resize(equals);
  }
  option.name = option_name(name);
  option.word = program.find(option.name);
  if (option.word == nullptr && name.starts_with("--")) {
    find_prefix(program, option);
  } else if (option.word == nullptr && option.name.size() > 1) {
    // A value attached to a one-letter option: "-b64".
    const Word* letter = program.find(option.name.substr(0, 1));
    if (letter != nullptr && !option.value) {
      option.word = letter;
      option.value = given.substr(2);
    }
  }
  if (option.word != nullptr) {
    option.name = option.word->name;
  }
  return option;
}

void Words::set_option(
    const Word& word,
    const std::vector<std::string>& values,
    const std::string& source,
    Problems& problems) {
  if (word.takes == Takes::kFlag) {
    set(word, scalar_node("true"), source, problems);
  } else if (word.takes == Takes::kMap) {
    set(word, map_node(values), source, problems);
  } else if (values.empty() && !word.alone.empty()) {
    set(word, scalar_node(word.alone), source, problems);
  } else if (values.empty()) {
    problems.add({source}, std::string(word.name), "needs a value");
  } else if (takes_list(word.takes)) {
    set(word, list_node(values), source, problems);
  } else {
    set(word, scalar_node(values.front()), source, problems);
  }
}

void Words::read_command(
    const std::vector<std::string>& line,
    const std::string& source,
    Problems& problems) {
  const std::span<const std::string> rest = arguments_of(*program_, line);
  bool has_folder = false;
  for (std::size_t i = 0; i < rest.size();) {
    const std::string& given = rest[i++];
    if (!is_option(given)) { // the dataset's folder, timm's positional argument
      const Word* data = program_->find("data");
      if (data != nullptr && !std::exchange(has_folder, true)) {
        set(*data, scalar_node(given), source, problems);
      } else {
        unknown_.push_back(printable(given));
      }
      continue;
    }
    const GivenOption option = read_option(*program_, given);
    std::vector<std::string> values;
    if (option.value) {
      values.push_back(*option.value);
    } else {
      const std::size_t count = option.word != nullptr
          ? values_of(option.word->takes, rest.subspan(i))
          : values_of(option.name, rest.subspan(i));
      values.assign(rest.begin() + i, rest.begin() + i + count);
      i += count;
    }
    const std::string shown = printable(given.substr(0, given.find('=')));
    if (!option.candidates.empty()) {
      problems.add(
          {source},
          shown,
          fmt::format(
              "several options begin so: {}",
              fmt::join(
                  option.candidates | std::views::transform(dashes_of), ", ")));
    } else if (option.word == nullptr) {
      unknown_.push_back(
          shown + (values.empty() ? "" : " " + printable(join(values, " "))));
    } else if (option.word->takes == Takes::kFlag && option.value) {
      problems.add(
          {source},
          shown,
          fmt::format("takes no value, got {}", printable(*option.value)));
    } else {
      set_option(*option.word, values, source, problems);
    }
  }
  const std::int64_t workers = launched_workers(
      std::span<const std::string>(line).first(line.size() - rest.size()));
  const Word* world = program_->find("world_size");
  if (world != nullptr && workers > 0 && !given(world->name)) {
    set(*world, scalar_node(std::to_string(workers)), source, problems);
  }
  read_config_file(problems);
}

void Words::read_config_file(Problems& problems) {
  const Word* config = program_->find("config");
  if (config == nullptr || text(config->name).empty()) {
    return;
  }
  const std::string file = text(config->name);
  const std::string source = printable(file);
  const auto root = parse_document(
      read_file(file, kLargestConfig, ExitCode::kUsage), source, problems);
  if (!root) {
    return;
  }
  Words below(*program_);
  below.read_yaml(*root, source, problems);
  values_.insert(below.values_.begin(), below.values_.end());
  unknown_.insert(unknown_.end(), below.unknown_.begin(), below.unknown_.end());
}

std::vector<std::string> split_command(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool begun = false; // also set by an empty pair of quotes
  char quote = 0;
  const auto end = [&] {
    if (begun) {
      words.push_back(std::move(word));
    }
    word.clear();
    begun = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      begun = true;
    } else if (c == '\\' && i + 1 < text.size()) {
      ++i;
      if (text[i] != '\n' && text[i] != '\r') {
        word += text[i];
        begun = true;
      }
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      end();
    } else if (c == '#' && !begun) {
      i = std::min(text.find('\n', i), text.size());
    } else {
      word += c;
      begun = true;
    }
  }
  end();
  return words;
}

} // namespace vitrain::config::foreign
