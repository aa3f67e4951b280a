#include "models/published_name.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <regex>
#include <string_view>

#include <fmt/format.h>

#include "config/foreign/published_weights.h"
#include "config/foreign/words.h"
#include "core/ascii.h"
#include "core/text.h"
#include "models/families/family.h"

namespace vitrain::models {
namespace {

using config::foreign::find_published;
using config::foreign::published_weights;
using config::foreign::PublishedWeights;

// Regular expression for names of transformers' repositories (without the
// owner) and of PaddleViT's configs, and what replaces the match on the way to
// timm's name. All rows are applied in turn, to the name in lower case with _
// for -; kTails are dropped afterwards.
struct Rewrite {
  const char* pattern;
  const char* name;
};

constexpr auto kRewrites = std::to_array<Rewrite>({
    {"^convmixer_1024_20$", "convmixer_1024_20_ks9_p14"},
    {"^crossvit_(.*)_224$", "crossvit_$1_240"},
    {"^crossvit_(.*)_384$", "crossvit_$1_408"},
    {"^dino_vits(8|16)$", "vit_small_patch$1_224"},
    {"^dino_vitb(8|16)$", "vit_base_patch$1_224"},
    {"^dinov2_(small|base|large|giant).*", "vit_$1_patch14_dinov2"},
    {"^dinov2_with_registers_(small|base|large|giant).*",
     "vit_$1_patch14_reg4_dinov2"},
    {"^efficientnet_b", "tf_efficientnet_b"}, // transformers pads as Keras
    {"^halonet_(26t|50ts)_256$", "halonet$1"},
    {"^mlp_?mixer_", "mixer_"},
    {"^mobilevit_small", "mobilevit_s"},
    {"^mobilevit_x_small", "mobilevit_xs"},
    {"^mobilevit_xx_small", "mobilevit_xxs"},
    {"^mobilevitv2_1\\.0", "mobilevitv2_100"},
    {"^pvtv2_b2_linear", "pvt_v2_b2_li"},
    {"^pvtv2_", "pvt_v2_"},
    {"^regnet_([xy])_", "regnet$1_"},
    {"^resnet_", "resnet"},
    {"^siglip2?_(base|large|so400m)_(patch[0-9]+)_", "vit_$1_$2_siglip_"},
    {"^swinv2_(tiny|small|base|large)_patch4_", "swinv2_$1_"},
    {"^vit_mae_(base|large)$", "mae_vit_$1_patch16"},
    {"^vit_mae_huge$", "mae_vit_huge_patch14"},
    {"^vit_(base|large)_patch16_224_pretrain.*", "mae_vit_$1_patch16"},
});

// Endings of other programs' names that timm's names of networks lack: data,
// image sizes, purposes.
constexpr auto kTails = std::to_array<std::string_view>(
    {"1k",
     "21k",
     "22k",
     "in1k",
     "in21k",
     "in22k",
     "pt22k",
     "ft22k",
     "22kto1k",
     "imagenet1k",
     "ft",
     "224",
     "256",
     "384",
     "infer",
     "finetune"});

// Returns vitrain's name of a network of transformers or PaddleViT; "" if it
// has none.
std::string network_like(const std::string& given) {
  std::string name = ascii_lower(given);
  std::ranges::replace(name, '-', '_');
  for (const Rewrite& rewrite : kRewrites) {
    name = std::regex_replace(name, std::regex(rewrite.pattern), rewrite.name);
  }
  while (!find_model(name)) {
    const std::size_t last = name.rfind('_');
    if (last == name.npos ||
        std::ranges::find(kTails, std::string_view(name).substr(last + 1)) ==
            kTails.end()) {
      return "";
    }
    name.resize(last);
  }
  return name;
}

// Returns torchvision's weights of a network by their tag; the default ones if
// the tag is "DEFAULT" or empty; nullopt if there are none.
std::optional<PublishedWeights> torchvision_weights(
    const std::string& network,
    std::string_view tag) {
  std::optional<PublishedWeights> found;
  for (const PublishedWeights& one : published_weights(network)) {
    const bool has_tag = one.name.substr(one.name.rfind('.') + 1) == tag;
    // The default are the last ones whose tag has no _SWAG_.
    const bool is_last = (tag.empty() || tag == "DEFAULT") &&
        one.name.find("_SWAG_") == std::string_view::npos;
    if (one.is_torchvision() && (has_tag || is_last)) {
      found = one;
    }
  }
  return found;
}

// Returns vitrain's name of a network of timm, torchvision or PaddleViT; "" if
// it has none.
std::string network_named(const std::string& name) {
  if (find_model(name)) {
    return name;
  }
  const std::string_view torchvision =
      config::foreign::name_of_torchvision(name);
  return torchvision.empty() ? network_like(name) : std::string(torchvision);
}

// Reads timm's NAME[.TAG] and torchvision's NAME and NAME_Weights[.TAG].
PublishedName read_plain(const std::string& name) {
  constexpr std::string_view kWeights = "_Weights";
  const std::string base = name.substr(0, name.find('.'));
  const std::string tag = name.substr(std::min(base.size() + 1, name.size()));
  std::optional<PublishedWeights> known = find_published(name);
  if (base.ends_with(kWeights)) {
    const std::string network = network_named(
        ascii_lower(base.substr(0, base.size() - kWeights.size())));
    known = torchvision_weights(network, tag);
  } else if (tag.empty() || (known && known->name != name)) {
    known.reset();
  }
  if (known) {
    return {
        .network = known->network,
        .weights = std::string(known->name),
        .repository = known->repository};
  }
  return {.network = tag.empty() ? network_named(base) : ""};
}

// Removes the first of `prefixes` with which the text begins. Returns true if
// there was one.
bool take_prefix(
    std::string& text,
    std::initializer_list<std::string_view> prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (text.starts_with(prefix)) {
      text.erase(0, prefix.size());
      return true;
    }
  }
  return false;
}

// Replaces `name` if it is another program's name of a network. Returns a note,
// or "" if it is not.
std::string use_own_name(const char* key, std::string& name, bool weighted) {
  if (find_model(name)) {
    return "";
  }
  const PublishedName published = read_published_name(name);
  if (!find_model(published.network)) {
    return "";
  }
  std::string note = fmt::format(
      "{}: {}, which is meant by '{}'{}",
      key,
      published.network,
      printable(name),
      weighted || (published.weights.empty() && published.repository.empty())
          ? ""
          : fmt::format(
                " (its weights are used with -pretrained {})",
                printable(name)));
  name = published.network;
  return note;
}

} // namespace

PublishedName read_published_name(const std::string& given) {
  std::string text = given;
  const bool from_hub =
      take_prefix(text, {"hf-hub:", "hf_hub:", "https://huggingface.co/"});
  if (take_prefix(text, {"timm:", "timm/"})) {
    text = "timm/" + without_prefix(text, "timm/");
  }
  take_prefix(text, {"torchvision.models.", "torchvision:", "torchvision/"});
  const std::vector<std::string> parts = split(text, '/');
  const bool is_repository =
      parts.size() == 2 || (from_hub && parts.size() > 2);
  if (!is_repository || parts[0].empty() || parts[1].empty() ||
      parts[0].starts_with('.') || parts[1].starts_with('.')) {
    return parts.size() == 1 ? read_plain(text) : PublishedName{};
  }
  const std::size_t at = parts[1].find('@');
  const std::string name = parts[1].substr(0, at);
  PublishedName found = parts[0] == "timm"
      ? read_plain(name)
      : PublishedName{.network = network_like(name)};
  if (parts[0] == "timm" && found.network.empty()) {
    found.network = network_named(name.substr(0, name.find('.')));
  }
  if (found.repository.empty()) {
    found.repository = parts[0] + "/" + name;
  }
  if (at != name.npos && at + 1 < parts[1].size()) {
    found.revision = parts[1].substr(at + 1);
  } else if (parts.size() > 3) { // .../resolve/REVISION/FILE
    found.revision = parts[3];
  }
  return found;
}

std::vector<std::string> use_published_names(config::PartialRecipe& loaded) {
  config::ModelConfig& model = loaded.recipe.model;
  std::vector<std::string> notes;
  const auto add = [&](std::string note) {
    if (!note.empty()) {
      notes.push_back(std::move(note));
    }
  };
  add(use_own_name("model.name", model.name, model.pretrained.has_value()));
  config::DistillConfig& distill = loaded.recipe.train.distill;
  add(use_own_name(
      "train.distill.teacher",
      distill.teacher,
      distill.pretrained.has_value()));
  for (config::FileLayer& file : loaded.files) {
    use_own_name("", file.model, /*weighted=*/true);
  }
  std::error_code error;
  const std::string tag = model.pretrained.value_or("");
  const bool is_tag = tag == "DEFAULT" || tag.starts_with("IMAGENET1K_");
  if (is_tag && !std::filesystem::exists(tag, error)) {
    if (const auto known = torchvision_weights(model.name, tag)) {
      model.pretrained = std::string(known->name);
    }
  }
  return notes;
}

} // namespace vitrain::models
