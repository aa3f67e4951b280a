#include "models/rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "config/paddlevit.h"
#include "core/text.h"
#include "models/registry.h"

namespace vitrain::models {
namespace {

constexpr const char* kName = "model.name";

// A key of the recipe that some families have: how it is written, and whether
// it has a value that changes a network.
struct Option {
  std::string_view key; // below model
  bool (*is_set)(const config::ModelConfig&);
  void (*reset)(config::ModelConfig&);
  bool (*belongs)(const ModelSpec&);
};

bool is_vit(const ModelSpec& spec) {
  return spec.family == Family::kVit;
}

bool has_blocks(const ModelSpec& spec) {
  return is_vit(spec) || (spec.family == Family::kMlp && spec.mlp.hidden > 0);
}

template <auto member>
constexpr Option option(
    std::string_view key,
    bool (*belongs)(const ModelSpec&)) {
  return {
      key,
      [](const config::ModelConfig& config) {
        return config.*member != config::ModelConfig{}.*member;
      },
      [](config::ModelConfig& config) {
        config.*member = config::ModelConfig{}.*member;
      },
      belongs};
}

using Config = config::ModelConfig;

constexpr std::array kOptions{
    option<&Config::patch_size>("patch_size", is_vit),
    option<&Config::embed_dim>("embed_dim", has_blocks),
    option<&Config::depth>("depth", has_blocks),
    option<&Config::num_heads>("num_heads", is_vit),
    option<&Config::mlp_ratio>("mlp_ratio", is_vit),
    option<&Config::drop_path>("drop_path", is_vit),
    option<&Config::dropout>("dropout", is_vit),
    option<&Config::attention_dropout>("attention_dropout", is_vit),
};

constexpr std::array kImageOptions{
    option<&Config::image_size>("image_size", nullptr),
    option<&Config::in_chans>("in_chans", nullptr),
};

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
      unknown_name();
      return std::move(findings_);
    }
    for (const Option& option : kOptions) {
      require(
          option.belongs(*named) || !option.is_set(config_),
          path_of(option),
          fmt::format(
              "{} is of the family {}, which has no such option; remove it",
              named->name,
              family_name(named->family)),
          {kName});
    }
    if (data_.features != 0) {
      check_vectors(*named);
      return std::move(findings_);
    }
    require(
        !config_.in_chans || *config_.in_chans == 1 || *config_.in_chans == 3,
        "model.in_chans",
        fmt::format(
            "in_chans is {}; it can be 3, or 1 for grey input",
            config_.in_chans.value_or(0)));
    check_images(*named);
    return std::move(findings_);
  }

 private:
  void require(
      bool good,
      const std::string& key,
      std::string text,
      std::vector<std::string> others = {}) {
    if (!good) {
      findings_.push_back({key, std::move(text), std::move(others)});
    }
  }

  void unknown_name() {
    const std::vector<std::string> known = listed_names();
    require(
        false,
        kName,
        fmt::format(
            "unknown model '{}'.{}\nKnown: {}; and "
            "vit_<size>_patch<P>_<S> with any patch and image size (`vitrain "
            "models` describes them)",
            printable(config_.name),
            did_you_mean(config_.name, known),
            join(known, ", ")));
  }

  void check_classes() {
    if (!config_.num_classes || data_.outputs == kNotKnown) {
      return;
    }
    const std::vector<std::string> others{"data.train", "data.eval"};
    require(
        *config_.num_classes >= data_.outputs,
        "model.num_classes",
        fmt::format(
            "num_classes {} is less than the {} classes of the data; use "
            "`auto`",
            *config_.num_classes,
            data_.outputs),
        others);
    require(
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
    require(
        named.family == Family::kMlp,
        kName,
        fmt::format(
            "{} takes images, and the data are vectors{}; use linear or mlp",
            named.name,
            data_.features == kNotKnown
                ? ""
                : fmt::format(" of {} features", data_.features)),
        {"data.train.kind", "data.eval.kind"});
    for (const Option& option : kImageOptions) {
      require(
          !option.is_set(config_),
          path_of(option),
          "the data are vectors and have no such number; remove it",
          {"data.train.kind", "data.eval.kind"});
    }
  }

  void check_images(const ModelSpec& named) {
    const std::int64_t size = config_.image_size.value_or(named.image_size);
    if (named.family == Family::kVit) {
      check_vit(named, size);
    }
    require(
        named.family != Family::kConvNet || named.convnet.grid(size) >= 1,
        "model.image_size",
        fmt::format(
            "image_size {} is too small for {}: its two 5x5 convolutions and "
            "poolings need at least 16 pixels",
            size,
            named.name),
        {kName});
  }

  void check_vit(const ModelSpec& named, std::int64_t size) {
    const VitSpec& vit = named.vit;
    const std::int64_t patch = config_.patch_size.value_or(vit.patch_size);
    const std::int64_t width = config_.embed_dim.value_or(vit.embed_dim);
    const std::int64_t heads = config_.num_heads.value_or(vit.num_heads);
    // At the key that somebody has set.
    require(
        size % patch == 0,
        config_.image_size       ? "model.image_size"
            : config_.patch_size ? "model.patch_size"
                                 : kName,
        fmt::format(
            "image_size {} is not a multiple of the patch size {} of {}; set "
            "model.image_size or model.patch_size",
            size,
            patch,
            named.name),
        {kName, "model.image_size", "model.patch_size"});
    require(
        width % heads == 0,
        config_.num_heads       ? "model.num_heads"
            : config_.embed_dim ? "model.embed_dim"
                                : kName,
        fmt::format(
            "embed_dim {} is not a multiple of num_heads {} ({})",
            width,
            heads,
            named.name),
        {kName, "model.num_heads", "model.embed_dim"});
    const double hidden = mlp_width(config_, vit);
    constexpr double kLimit = 1 << 24;
    require(
        hidden >= 1.0 && hidden <= kLimit,
        "model.mlp_ratio",
        fmt::format(
            "mlp_ratio {} makes an MLP {} wide with model.embed_dim {}; it "
            "must be in [1, {}]",
            shortest(hidden / static_cast<double>(width)),
            shortest(hidden),
            width,
            1 << 24),
        {kName, "model.embed_dim"});
  }

  const config::ModelConfig& config_;
  const DataShape& data_;
  std::vector<config::Finding> findings_;
};

} // namespace

std::vector<config::Finding> check(
    const config::ModelConfig& config,
    const DataShape& data) {
  return Rules(config, data).run();
}

std::vector<config::Finding> check_normalisation(
    const config::Recipe& recipe,
    const DataShape& data) {
  const auto same = [](const std::array<double, 3>& values) {
    return values[0] == values[1] && values[1] == values[2];
  };
  const config::PreprocessConfig& preprocess = recipe.data.preprocess;
  const std::optional<ModelSpec> named = find_model(recipe.model.name);
  const std::int64_t channels =
      recipe.model.in_chans.value_or(named ? named->channels : 3);
  const bool grey = data.features == 0 && channels == 1;
  if (!grey || (same(preprocess.mean) && same(preprocess.std))) {
    return {};
  }
  return {
      {same(preprocess.mean) ? "data.preprocess.std" : "data.preprocess.mean",
       fmt::format(
           "{} takes grey images, and mean and std are those of colours; give "
           "each the same number three times, as in [0.5, 0.5, 0.5]",
           printable(recipe.model.name)),
       {kName,
        "model.in_chans",
        "data.preprocess.mean",
        "data.preprocess.std",
        "data.train.kind",
        "data.eval.kind"}}};
}

double mlp_width(const config::ModelConfig& config, const VitSpec& named) {
  const double ratio = config.mlp_ratio.value_or(
      static_cast<double>(named.mlp_dim) /
      static_cast<double>(named.embed_dim));
  return static_cast<double>(config.embed_dim.value_or(named.embed_dim)) *
      ratio;
}

namespace {

const config::Position* origin_of(
    const config::Reading& loaded,
    const std::string& key) {
  const auto origin = loaded.origins.find(key);
  return origin == loaded.origins.end() ? nullptr : &origin->second;
}

// The layer in which a key got its value; 0: nowhere.
std::size_t layer_of(const config::Reading& loaded, const std::string& key) {
  const config::Position* origin = origin_of(loaded, key);
  return origin == nullptr ? 0 : loaded.layer_of(*origin);
}

// What the recipe's model was once that layer had been applied.
std::string model_at(const config::Reading& loaded, std::size_t layer) {
  return layer == 0 || layer > loaded.files.size()
      ? loaded.recipe.model.name
      : loaded.files[layer - 1].model;
}

// Takes the value of a key back and says so, unless nobody has set it by hand.
void leave(
    config::Reading& loaded,
    const Option& option,
    const std::string& why,
    std::vector<std::string>& notes) {
  const auto origin = loaded.origins.find(path_of(option));
  option.reset(loaded.recipe.model);
  if (!config::is_paddlevit_default(origin->second)) {
    notes.push_back(fmt::format(
        "{}: {}: has no effect: {}",
        origin->second.text(),
        origin->first,
        why));
  }
  loaded.origins.erase(origin);
}

} // namespace

std::vector<std::string> leave_other_families(config::Reading& loaded) {
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
    if (option.is_set(model) && (!same || !option.belongs(*spec))) {
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
