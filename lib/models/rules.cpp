#include "models/rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "core/text.h"
#include "models/families/family.h"

namespace vitrain::models {
namespace {

constexpr const char* kName = "model.name";

// A key that not every network supports. is_set(): true if the recipe sets it
// to a value that would change a network.
struct Option {
  std::string_view key; // key in `model`
  bool (*is_set)(const config::ModelConfig&);
  void (*reset)(config::ModelConfig&);
};

template <auto member>
constexpr Option option(std::string_view key) {
  return {
      key,
      [](const config::ModelConfig& config) {
        const config::ModelConfig defaults;
        return config.*member != defaults.*member;
      },
      [](config::ModelConfig& config) {
        const config::ModelConfig defaults;
        config.*member = defaults.*member;
      }};
}

using Config = config::ModelConfig;

constexpr std::array kOptions{
    option<&Config::patch_size>("patch_size"),
    option<&Config::embed_dim>("embed_dim"),
    option<&Config::depth>("depth"),
    option<&Config::num_heads>("num_heads"),
    option<&Config::mlp_ratio>("mlp_ratio"),
    option<&Config::drop_path>("drop_path"),
    option<&Config::dropout>("dropout"),
    option<&Config::attention_dropout>("attention_dropout"),
    option<&Config::global_pool>("global_pool"),
    option<&Config::decoder_embed_dim>("decoder_embed_dim"),
    option<&Config::decoder_depth>("decoder_depth"),
    option<&Config::decoder_num_heads>("decoder_num_heads"),
    option<&Config::mask_ratio>("mask_ratio"),
    option<&Config::norm_pix_loss>("norm_pix_loss"),
};

constexpr std::array kImageOptions{
    option<&Config::image_size>("image_size"),
    option<&Config::in_chans>("in_chans"),
};

bool belongs(const Option& option, const ModelSpec& named) {
  const auto keys = named.family->options(named);
  return std::ranges::find(keys, option.key) != keys.end();
}

std::vector<std::string> names_for_vectors() {
  std::vector<std::string> names;
  for (const Family* family : families()) {
    if (family->takes_vectors) {
      const std::vector<std::string> own = family->list();
      names.insert(names.end(), own.begin(), own.end());
    }
  }
  return names;
}

std::string path_of(const Option& option) {
  return fmt::format("model.{}", option.key);
}

class Rules {
 public:
  Rules(const config::ModelConfig& config, const DataShape& data)
      : config_(config), data_(data) {}

  std::vector<config::Finding> run() {
    const std::optional<ModelSpec> named = find_model(config_.name);
    check_classes();
    if (!named) {
      checker_.require(false, kName, unknown_model(config_.name));
      return checker_.take();
    }
    for (const Option& option : kOptions) {
      checker_.require(
          belongs(option, *named) || !option.is_set(config_),
          path_of(option),
          fmt::format(
              "{} is of the family {}, which has no such option; remove it",
              named->name,
              named->family->name),
          {kName});
    }
    check_classifier(*named);
    if (data_.features != 0) {
      check_vectors(*named);
      return checker_.take();
    }
    if (named->family->check != nullptr) {
      named->family->check(config_, *named, checker_);
    }
    return checker_.take();
  }

 private:
  void check_classifier(const ModelSpec& named) {
    const bool lacks =
        named.family->learns_pixels || named.family->has_conv_classifier;
    const std::string text =
        fmt::format("{} has no linear classifier; remove it", named.name);
    checker_.require(
        !lacks || config_.head_dropout == 0.0,
        "model.head_dropout",
        text,
        {kName});
    checker_.require(
        !lacks || !config_.lora.active(), "model.lora.rank", text, {kName});
  }

  void check_classes() {
    if (!config_.num_classes || data_.outputs == kNotKnown) {
      return;
    }
    const std::vector<std::string> others{"data.train", "data.eval"};
    checker_.require(
        *config_.num_classes >= data_.outputs,
        "model.num_classes",
        fmt::format(
            "num_classes {} is less than the {} classes of the data; use "
            "`auto`",
            with_commas(*config_.num_classes),
            with_commas(data_.outputs)),
        others);
    checker_.require(
        data_.features == 0 || *config_.num_classes <= data_.outputs,
        "model.num_classes",
        fmt::format(
            "num_classes {} is not the number of targets of the data, {}; use "
            "`auto`",
            *config_.num_classes,
            data_.outputs),
        others);
  }

  void check_vectors(const ModelSpec& named) {
    checker_.require(
        named.family->takes_vectors,
        kName,
        fmt::format(
            "{} takes images, and the data are vectors{}; use {}",
            named.name,
            data_.features == kNotKnown
                ? ""
                : fmt::format(" of {} features", data_.features),
            join(names_for_vectors(), " or ")),
        {"data.train.kind", "data.eval.kind"});
    for (const Option& option : kImageOptions) {
      checker_.require(
          !option.is_set(config_),
          path_of(option),
          "the data are vectors and have no such number; remove it",
          {"data.train.kind", "data.eval.kind"});
    }
  }

  const config::ModelConfig& config_;
  const DataShape& data_;
  config::Checker checker_;
};

} // namespace

std::string unknown_model(const std::string& name) {
  const std::vector<std::string> known = listed_names();
  constexpr std::size_t kShown = 8;
  // Known names that begin with the unknown one.
  std::vector<std::string> longer;
  for (const std::string& one : known) {
    if (longer.size() < kShown && one.starts_with(name)) {
      longer.push_back(one);
    }
  }
  std::vector<std::string> names;
  for (const Family* family : families()) {
    names.emplace_back(family->name);
  }
  return fmt::format(
      "unknown model '{}'.{}{}{} `vitrain models` lists all {}, and with "
      "'resnet*' those of such names; families: {}",
      printable(name),
      longer.empty() ? did_you_mean(name, known) : "",
      longer.empty() ? "" : " So begin ",
      longer.empty() ? "" : join(longer, ", ") + ".",
      known.size(),
      join(names, ", "));
}

std::vector<config::Finding> check(
    const config::ModelConfig& config,
    const DataShape& data) {
  return Rules(config, data).run();
}

namespace {

const config::Position* origin_of(
    const config::PartialRecipe& loaded,
    const std::string& key) {
  const auto origin = loaded.origins.find(key);
  return origin == loaded.origins.end() ? nullptr : &origin->second;
}

// Returns the number of the recipe layer that set a key; 0: none.
std::size_t layer_of(
    const config::PartialRecipe& loaded,
    const std::string& key) {
  const config::Position* origin = origin_of(loaded, key);
  return origin == nullptr ? 0 : loaded.layer_of(*origin);
}

// Returns the value of model.name after recipe layer `layer` was applied; the
// final one if that is no file.
std::string model_at(const config::PartialRecipe& loaded, std::size_t layer) {
  return layer == 0 || layer > loaded.files.size()
      ? loaded.recipe.model.name
      : loaded.files[layer - 1].model;
}

// Resets a key, and adds a note if the user had set it.
void leave(
    config::PartialRecipe& loaded,
    const Option& option,
    const std::string& why,
    std::vector<std::string>& notes) {
  const auto origin = loaded.origins.find(path_of(option));
  option.reset(loaded.recipe.model);
  if (origin->second.origin != config::Origin::kDefault) {
    notes.push_back(fmt::format(
        "{}: {}: has no effect: {}",
        origin->second.text(),
        origin->first,
        why));
  }
  loaded.origins.erase(origin);
}

} // namespace

std::vector<std::string> leave_other_families(config::PartialRecipe& loaded) {
  std::vector<std::string> notes;
  const config::ModelConfig& model = loaded.recipe.model;
  const std::optional<ModelSpec> spec = find_model(model.name);
  const config::Position* place = origin_of(loaded, kName);
  if (!spec || place == nullptr) {
    return notes;
  }
  const std::size_t chosen = layer_of(loaded, kName);
  const std::string choice =
      fmt::format("model.name is {} ({})", model.name, place->text());
  for (const Option& option : kOptions) {
    const std::size_t layer = layer_of(loaded, path_of(option));
    if (layer >= chosen || origin_of(loaded, path_of(option)) == nullptr) {
      continue;
    }
    const std::string before = model_at(loaded, layer);
    const std::optional<ModelSpec> other = find_model(before);
    const bool same = other && other->family == spec->family;
    if (option.is_set(model) && (!same || !belongs(option, *spec))) {
      leave(
          loaded,
          option,
          fmt::format("it was meant for {}, and {}", printable(before), choice),
          notes);
    }
  }
  const bool vectors = loaded.recipe.data.eval.kind == SourceKind::kVectors;
  const std::size_t data = layer_of(loaded, "data.eval.kind");
  for (const Option& option : kImageOptions) {
    const std::size_t layer = layer_of(loaded, path_of(option));
    if (vectors && option.is_set(model) && layer < std::max(chosen, data) &&
        layer > 0) {
      leave(
          loaded, option, "it is for images, and the data are vectors", notes);
    }
  }
  return notes;
}

} // namespace vitrain::models
