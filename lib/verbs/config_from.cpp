#include <cstdio>

#include "config/foreign/translation.h"
#include "config/load/load_recipe.h"
#include "core/files/files.h"
#include "core/text/text.h"
#include "job/prepare/recipe_check.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {
namespace {

// What `config check` would say about it on a machine that has its data; "":
// nothing.
std::string problems_of(config::Recipe recipe) {
  for (config::SourceConfig* source : {&recipe.data.train, &recipe.data.eval}) {
    source->path = std::string(1, '.');
    source->class_map.reset();
  }
  config::Reading reading;
  reading.recipe = std::move(recipe);
  try {
    job::check_rules(
        reading.recipe,
        reading.origins,
        job::circumstances_here(reading, /*training=*/true));
  } catch (const Error& error) {
    const std::string text = error.what();
    return text.substr(0, text.rfind('\n')); // the last line counts them
  }
  return "";
}

} // namespace

int config_from(const config::Arguments& arguments) {
  namespace foreign = config::foreign;
  const foreign::Program& program =
      arguments.verb == config::Verb::kConfigFromTimm ? foreign::timm()
                                                      : foreign::torchvision();
  const foreign::Words words = arguments.foreign.size() == 1
      ? foreign::read_words(program, arguments.foreign.front())
      : foreign::read_words(program, arguments.foreign);
  const foreign::Translation translation = foreign::translate(words);
  const std::string text = foreign::to_file(words, translation);
  if (arguments.output) {
    write_file_atomically(*arguments.output, text);
  } else {
    std::fputs(text.c_str(), stdout);
  }
  std::fputs(foreign::left_out(translation).c_str(), stderr);
  const std::string problems = problems_of(translation.recipe);
  if (!problems.empty()) {
    std::fprintf(
        stderr,
        "the recipe needs a change before it trains:\n%s\n",
        problems.c_str());
    return static_cast<int>(ExitCode::kUsage);
  }
  if (arguments.output) {
    std::printf("%s\n", printable(*arguments.output).c_str());
  }
  return 0;
}

} // namespace vitrain::verbs
