#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "config/command_line/reference.h"
#include "config/foreign/words.h"
#include "core/text.h"

namespace vitrain::config::foreign {
namespace {

constexpr const char* kWordsIntroduction = R"(
## Words of other trainers

Arguments of other training scripts and their keys. The command line answers each of them with the key;
`vitrain config from-timm` and `vitrain config from-torchvision` translate the whole command of a run
([guide](guide/other-programs.md#coming-from-timm-or-torchvision)).
)";

std::string dashed(std::string_view word) {
  std::string text(word);
  std::ranges::replace(text, '_', '-');
  return (text.size() > 1 ? "--" : "-") + text;
}

// Lists words that set nothing; those with the same reason share a line.
std::string idle_lines(const Program& program) {
  std::vector<std::string_view> reasons;
  std::map<std::string_view, std::vector<std::string>> words;
  for (const Word& word : program.words) {
    if (!word.sets.empty()) {
      continue;
    }
    if (!words.contains(word.note)) {
      reasons.push_back(word.note);
    }
    words[word.note].push_back("`" + dashed(word.name) + "`");
  }
  std::string text;
  for (const std::string_view reason : reasons) {
    text += fmt::format("| {} | | {} |\n", join(words[reason], ", "), reason);
  }
  return text;
}

} // namespace

std::string words_reference() {
  std::string text = kWordsIntroduction;
  for (const Program* program : programs()) {
    text += fmt::format(
        "\n### {}\n\n| argument | sets | |\n|---|---|---|\n", program->title);
    for (const Word& word : program->words) {
      if (!word.sets.empty()) {
        text += fmt::format(
            "| `{}`{} | {} | {} |\n",
            dashed(word.name),
            word.other.empty() ? "" : ", `" + dashed(word.other) + "`",
            quoted_keys(word.sets),
            word.note);
      }
    }
    text += idle_lines(*program);
  }
  return text;
}

} // namespace vitrain::config::foreign
