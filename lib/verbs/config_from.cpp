#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "config/foreign/translation.h"
#include "config/load_recipe.h"
#include "core/check.h"
#include "core/system/print_lines.h"
#include "core/text.h"
#include "job/recipe_check.h"
#include "results/output_file.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {
namespace {

// Returns the problems that `config check` would report on a machine that has
// the data and devices; "" if none.
std::string problems_of(config::Recipe recipe) {
  for (config::SourceConfig* source : {&recipe.data.train, &recipe.data.eval}) {
    source->path = std::string(1, '.');
    source->class_map.reset();
  }
  const config::CheckContext there{
      .workers = config::kWorkersUnknown,
      .cuda = recipe.devices.kind != DeviceKind::kCpu};
  try {
    job::check_rules(recipe, {}, there);
  } catch (const Error& error) {
    const std::string text = error.what();
    // Without the last line, which counts the problems.
    return text.substr(0, text.rfind('\n'));
  }
  return "";
}

// Throws if the output would replace the input file, or a file that is not a
// translated recipe.
void check_recipe_place(
    const std::string& output,
    const std::vector<std::string>& given) {
  const auto replaced = results::replaced_file(output);
  std::error_code error;
  for (const std::string& word : given) {
    VITRAIN_CHECK(
        !replaced || !std::filesystem::equivalent(word, *replaced, error),
        ExitCode::kUsage,
        "-output {}: that is what is translated, and would be replaced; give "
        "another name",
        printable(output));
  }
  results::check_replaceable(
      "-output",
      output,
      "a recipe that config from-... has made",
      [](std::string_view start) {
        return start.starts_with("# Arguments of ");
      });
}

void write_recipe(const std::string& output, std::string_view text) {
  results::OutputFile file(output);
  file.write(text);
  file.finish();
}

} // namespace

int config_from(const config::Arguments& arguments) {
  namespace foreign = config::foreign;
  const foreign::Program& program =
      arguments.verb == config::Verb::kConfigFromTimm ? foreign::timm()
                                                      : foreign::torchvision();
  if (arguments.output) {
    check_recipe_place(*arguments.output, arguments.foreign);
  }
  const foreign::Words words = arguments.foreign.size() == 1
      ? foreign::read_words(program, arguments.foreign.front())
      : foreign::read_words(program, arguments.foreign);
  const foreign::Translation translation = foreign::translate(words);
  const std::string text = foreign::to_file(words, translation);
  if (arguments.output) {
    write_recipe(*arguments.output, text);
  } else {
    std::fputs(text.c_str(), stdout);
  }
  std::fputs(
      message_for(STDERR_FILENO, foreign::left_out(translation)).c_str(),
      stderr);
  const bool whole = translation.missing.empty() || arguments.allow_left_out;
  if (!whole) {
    print_message(
        stderr,
        "the recipe trains something else: what is left out changes the "
        "result; -allow_left_out takes the recipe without it");
  }
  const std::string problems = problems_of(translation.recipe);
  if (!problems.empty()) {
    print_message(
        stderr, "the recipe needs a change before it trains:\n" + problems);
    return static_cast<int>(ExitCode::kUsage);
  }
  if (!whole) {
    return static_cast<int>(ExitCode::kUsage);
  }
  if (arguments.output && *arguments.output != "-") {
    std::printf("%s\n", printable(*arguments.output).c_str());
  }
  return 0;
}

} // namespace vitrain::verbs
