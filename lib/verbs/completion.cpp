#include "config/command_line/completion.h"

#include <cstdio>

#include "config/command_line/man_page.h"
#include "launch/foreign/launchers.h"
#include "models/families/family.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {

int completion(const config::Arguments& arguments) {
  const std::string text = arguments.typed
      ? config::complete(
            *arguments.typed,
            {.models = vitrain::models::listed_names(),
             .launchers = launch::launcher_names()})
      : config::completion_script(arguments.shell);
  std::fputs(text.c_str(), stdout);
  return 0;
}

int man() {
  std::fputs(config::man_page(VITRAIN_VERSION).c_str(), stdout);
  return 0;
}

} // namespace vitrain::verbs
