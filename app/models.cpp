#include <cstdio>

#include <fmt/format.h>

#include "core/text.h"
#include "models/families/family.h"
#include "networks/tensors.h"
#include "verbs.h"

namespace vitrain::app {

int models() {
  std::string text =
      fmt::format("{:<26} {:>12} {:>6}  {}\n", "name", "parameters", "px", "");
  for (const networks::ModelInfo& info : networks::list_models()) {
    text += fmt::format(
        "{:<26} {:>12} {:>6}  {}\n",
        info.name,
        with_commas(info.parameters),
        info.image_size,
        info.description);
  }
  text += "\nParameters are for 1000 classes.";
  for (const vitrain::models::Family* family : vitrain::models::families()) {
    if (family->pattern != nullptr) {
      text += fmt::format(" Accepted too: {}.", family->pattern);
    }
  }
  text += "\n";
  std::fputs(text.c_str(), stdout);
  return 0;
}

} // namespace vitrain::app
