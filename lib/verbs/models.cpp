#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include "config/foreign/published_weights.h"
#include "config/sections/model.h"
#include "core/ascii.h"
#include "core/check.h"
#include "core/text.h"
#include "models/families/family.h"
#include "models/published_name.h"
#include "models/resolve.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {
namespace {

constexpr const char* kModelRow = "{:<{}} {:>12} {:>8} {:>8} {:>5}  {}\n";

// Throws Error(kUsage) if the sizes of the network `name` do not fit together,
// as the check of a recipe does.
void check_numbers(const std::string& name) {
  config::ModelConfig model;
  model.name = name;
  models::resolve(model, {.outputs = 1000});
}

// Returns the pattern for `given`: itself if it is a pattern or the full name
// of a network; otherwise a pattern for every name that contains it.
std::string name_pattern(const std::string& given) {
  const bool whole = given.find_first_of("*?[") != std::string::npos ||
      models::find_model(given).has_value();
  return whole ? given : "*" + ascii_lower(given) + "*";
}

bool is_like(const std::string& name, const std::string& pattern) {
  return ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

// Returns the name that vitrain has for another program's name of a network;
// otherwise `given`.
std::string own_name(const std::string& given) {
  const std::string network = models::find_model(given)
      ? given
      : models::read_published_name(given).network;
  return models::find_model(network) ? network : given;
}

// Returns the listed names that match a pattern, in the order of the list, then
// unlisted names that a family accepts. Throws Error(kUsage) for a name or
// pattern without a match.
std::vector<std::string> names_like(std::vector<std::string> given) {
  std::ranges::transform(given, given.begin(), own_name);
  std::vector<std::string> patterns;
  std::ranges::transform(given, std::back_inserter(patterns), name_pattern);
  std::vector<std::string> names;
  const std::vector<std::string> listed = models::listed_names();
  for (const std::string& name : listed) {
    if (patterns.empty() ||
        std::ranges::any_of(patterns, [&](const std::string& pattern) {
          return is_like(name, pattern);
        })) {
      names.push_back(name);
    }
  }
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& pattern = given[i];
    const bool found = std::ranges::any_of(names, [&](const std::string& name) {
      return is_like(name, patterns[i]);
    });
    if (!found) {
      VITRAIN_CHECK(
          models::find_model(pattern).has_value(),
          ExitCode::kUsage,
          "no model has '{}' in its name.{} `vitrain models` lists all; * and "
          "? stand for other letters, as in 'swin_*'",
          printable(pattern),
          did_you_mean(pattern, listed));
      check_numbers(pattern);
      names.push_back(pattern);
    }
  }
  return names;
}

std::string row_of_model(
    const std::string& name,
    std::size_t width,
    const models::ModelCounts& counts) {
  const models::ModelSpec spec = *models::find_model(name);
  return fmt::format(
      kModelRow,
      name,
      width,
      with_commas(counts.parameters),
      fmt::format("{:.2f}", static_cast<double>(counts.macs) / 1e9),
      fmt::format("{:.2f}", static_cast<double>(counts.outputs) / 1e6),
      spec.image_size.text(),
      fmt::format("{}: {}", spec.family->name, spec.family->describe(spec)));
}

std::string table_of_models(
    const std::vector<std::string>& names,
    const std::vector<models::ModelCounts>& counts) {
  std::size_t width = 0;
  for (const std::string& name : names) {
    width = std::max(width, name.size());
  }
  std::string text = fmt::format(
      kModelRow,
      "name",
      width,
      "parameters",
      "GMACs",
      "Mact",
      "px",
      "family, network");
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += row_of_model(names[i], width, counts.at(i));
  }
  return text +
      "\nWith 1000 classes; of one image of px pixels a side: billions of "
      "multiplications with\nadditions (GMACs), and millions of numbers that "
      "matrix products and convolutions give (Mact).\n";
}

// Returns a table of the weights that are published for a network, with the
// preprocessing that they require; "" if there are none.
std::string table_of_weights(const std::string& network) {
  constexpr const char* kRow = "{:<{}} {:>9} {:>8} {:<9} {:<7}  {}\n";
  const auto numbers = [](const std::array<double, 3>& values) {
    return values[0] == values[1] && values[1] == values[2]
        ? shortest(values[0])
        : fmt::format("{}", fmt::join(values, " "));
  };
  // Returns both values, or only that of training if `evaluation` is 0.
  const auto pair = [](const auto& training, const auto& evaluation) {
    return evaluation > 0
        ? fmt::format("{:.4g} {:.4g}", double(training), double(evaluation))
        : fmt::format("{:.4g}", double(training));
  };
  std::size_t width = 0;
  std::vector<config::foreign::PublishedWeights> all =
      config::foreign::published_weights(network);
  std::erase_if(all, [](const auto& one) {
    // A network without published weights
    return one.name.find('.') == std::string_view::npos;
  });
  for (const auto& one : all) {
    width = std::max(width, one.name.size());
  }
  std::string text = all.empty() ? ""
                                 : "\n" +
          fmt::format(kRow,
                      "weights",
                      width,
                      "px",
                      "crop",
                      "filter",
                      "mode",
                      "mean; std");
  for (const auto& one : all) {
    text += fmt::format(
        kRow,
        one.name,
        width,
        pair(one.images->size, one.images->test_size),
        pair(one.images->crop_pct, one.images->test_crop_pct),
        one.images->interpolation,
        one.images->crop_mode,
        numbers(one.images->mean) + "; " + numbers(one.images->std));
  }
  return text +
      (all.empty() ? ""
                   : "\nTimm's default weights first. `vitrain weights fetch "
                     "NAME` downloads timm's. Two numbers: in\ntraining and in "
                     "evaluation.\n");
}

} // namespace

std::optional<int> models_verb(
    const config::Arguments& arguments,
    const Invocation& invocation) {
  const std::vector<std::string> names = names_like(arguments.data.files);
  if (!invocation.count_models) {
    return std::nullopt;
  }
  const auto counts = invocation.count_models(names);
  if (!counts) {
    return std::nullopt;
  }
  std::string text = table_of_models(names, *counts);
  for (const models::Family* family : models::families()) {
    if (arguments.data.files.empty() && family->pattern != nullptr) {
      text += fmt::format("Accepted too: {}.\n", family->pattern);
    }
  }
  if (names.size() == 1) {
    text += table_of_weights(names.front());
  }
  std::fputs(text.c_str(), stdout);
  return 0;
}

} // namespace vitrain::verbs
