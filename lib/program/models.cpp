#include <algorithm>
#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <fnmatch.h>

#include "config/sections/model.h"
#include "core/check.h"
#include "core/text/text.h"
#include "engine/device/on_threads.h"
#include "models/families/family.h"
#include "models/spec.h"
#include "networks/cost.h"
#include "networks/tensors.h"
#include "program/torch_verbs.h"

namespace vitrain::program {
namespace {

// Throws Error(kUsage) for a name whose numbers do not go together, as that of
// a recipe.
void check(const std::string& name) {
  config::ModelConfig model;
  model.name = name;
  vitrain::models::resolve(model, {.outputs = 1000});
}

// The names that some pattern matches, in the order of the list; those that no
// pattern of the list matches, but a family knows, at the end.
std::vector<std::string> names_like(const std::vector<std::string>& patterns) {
  std::vector<std::string> names;
  const std::vector<std::string> listed = vitrain::models::listed_names();
  for (const std::string& name : listed) {
    if (patterns.empty() ||
        std::ranges::any_of(patterns, [&](const std::string& pattern) {
          return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
        })) {
      names.push_back(name);
    }
  }
  for (const std::string& pattern : patterns) {
    const bool found = std::ranges::any_of(names, [&](const std::string& name) {
      return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    });
    if (!found) {
      VITRAIN_CHECK(
          vitrain::models::find_model(pattern).has_value(),
          ExitCode::kUsage,
          "no model is called '{}'.{} `vitrain models` lists all; * and ? "
          "stand for other letters, as in 'swin_*'",
          printable(pattern),
          did_you_mean(pattern, listed));
      check(pattern);
      names.push_back(pattern);
    }
  }
  return names;
}

// In the order of the names. A large network takes 20 ms, a list of all is for
// every core.
std::vector<networks::ModelInfo> infos_of(
    const std::vector<std::string>& names) {
  std::vector<networks::ModelInfo> infos(names.size());
  std::atomic<std::size_t> next = 0;
  const std::size_t threads = std::max(
      std::size_t{1},
      std::min<std::size_t>(names.size(), std::thread::hardware_concurrency()));
  engine::on_threads(threads, [&](std::size_t) {
    for (std::size_t i = next++; i < names.size(); i = next++) {
      infos[i] = networks::model_info(names[i]);
    }
  });
  return infos;
}

} // namespace

int models(const config::Arguments& arguments) {
  constexpr const char* kRow = "{:<{}} {:>12} {:>8} {:>8} {:>5}  {}\n";
  const std::vector<std::string> names = names_like(arguments.data.files);
  std::size_t width = 0;
  for (const std::string& name : names) {
    width = std::max(width, name.size());
  }
  std::string text = fmt::format(
      kRow,
      "name",
      width,
      "parameters",
      "GMACs",
      "Mact",
      "px",
      "family, network");
  for (const networks::ModelInfo& info : infos_of(names)) {
    text += fmt::format(
        kRow,
        info.name,
        width,
        with_commas(info.parameters),
        fmt::format("{:.2f}", static_cast<double>(info.cost.macs) / 1e9),
        fmt::format("{:.2f}", static_cast<double>(info.cost.outputs) / 1e6),
        info.image_size.text(),
        fmt::format("{}: {}", info.family, info.description));
  }
  text +=
      "\nWith 1000 classes; of one image of px pixels a side: billions of "
      "multiplications with\nadditions (GMACs), and millions of numbers that "
      "matrix products and convolutions give (Mact).\n";
  for (const vitrain::models::Family* family : vitrain::models::families()) {
    if (arguments.data.files.empty() && family->pattern != nullptr) {
      text += fmt::format("Accepted too: {}.\n", family->pattern);
    }
  }
  std::fputs(text.c_str(), stdout);
  return 0;
}

} // namespace vitrain::program
