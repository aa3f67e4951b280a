#include <cstdio>
#include <utility>

#include "verbs/verbs.h"

namespace vitrain::verbs {

std::optional<int> quick_verb(config::Arguments& arguments) {
  using config::Verb;
  if (arguments.version) {
    return std::nullopt; // torch's is part of it
  }
  if (arguments.help) {
    const std::string text =
        arguments.verb_given ? config::help(arguments.verb) : config::help();
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  arguments = with_run_recipe(std::move(arguments));
  switch (arguments.verb) {
    case Verb::kConfigCheck:
    case Verb::kConfigShow:
    case Verb::kConfigReference:
      return config_verb(arguments);
    case Verb::kConfigFromTimm:
    case Verb::kConfigFromTorchvision:
      return config_from(arguments);
    case Verb::kDevices:
      return devices();
    case Verb::kCompletion:
      return completion(arguments);
    case Verb::kMan:
      return man();
    default:
      return std::nullopt;
  }
}

} // namespace vitrain::verbs
