#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// PaddleViT's families of models (its folders): their own keys, and the mapping
// from their numbers to vitrain's networks. The rows are in the other files of
// this folder; a new family is a row.
namespace vitrain::config {
struct Recipe;
}

namespace vitrain::config::paddlevit {

struct Config;

// A key below MODEL that not all families have.
struct OwnKey {
  enum class Role {
    kNumber, // one of the numbers that name a network
    kOnly, // has to be its default: other values are other networks
    kStart, // where weights start; the network has its own
    kIdle, // has no effect, neither here nor there
    kFree, // any number: Family::translate knows it
  };
  std::string_view key; // below MODEL: "TRANS.EMBED_DIM"
  std::string_view value; // PaddleViT's default, as canonical() writes it
  Role role = Role::kNumber;
};

// A network of this program (config/sections/model.h) that a family describes.
struct Network {
  std::string_view name; // with one head; empty: there is none
  std::int64_t image_size; // that the name says
  // The values of the keys of roles kNumber and kStart, in their order, between
  // blanks; `*`: any.
  std::string_view numbers;
  std::string_view distilled{}; // with a second head, of Family::two_heads
};

// Defaults that differ between families; defaults_of() has the common ones.
struct Defaults {
  std::int64_t epochs = 300;
  std::int64_t warmup = 20;
  double weight_decay = 0.05;
  double base_lr = 5e-4;
  double warmup_lr = 1e-6;
  double end_lr = 1e-5;
  double grad_clip = 0.0; // 0: None
  std::int64_t scaled_lr = 512; // 0: None
  bool ema = false;
  double droppath = 0.1;
  double crop_pct = 0.875;
  std::int64_t image_size = 224;
  bool half = false; // mean and deviation 0.5 instead of ImageNet's
  std::string_view distillation = "none";
  void (*also)(Config&) = nullptr;
};

struct Family {
  std::string_view name; // as its folder says: "CaiT"
  // Values of MODEL.TYPE, in lower case, between blanks.
  std::string_view types;
  std::span<const OwnKey> keys{};
  std::span<const Network> networks{}; // none: see vit_numbers
  Defaults defaults{};
  bool available = true;
  std::string_view why{}; // it is not
  // The family has the keys of paddlevit::Model with any values: ViT and DeiT.
  bool vit_numbers = false;
  // DISTILLATION_TYPE also selects the network.
  bool two_heads = false;
  bool drop_path = true; // vitrain's network supports it
  // The image size is the network's; DATA.IMAGE_SIZE is ignored.
  bool fixed_size = false;
  bool decays_all = false; // weight decay applies to all parameters
  // Translates the family's own keys, except the network's name; null: nothing
  // to translate.
  void (*translate)(const Config&, Recipe&) = nullptr;
  std::string_view note{}; // further differences; printed at the start
};

// Every family that PaddleViT has.
std::vector<const Family*> families();
// By MODEL.TYPE, in any case; null: none of PaddleViT's.
const Family* find_family(std::string_view type);

// A value as the tables have it: no blanks, numbers in their shortest form,
// `none`, `true`, `[1,2]`.
std::string canonical(std::string_view text);

// The values of a family's own keys.
using OwnValues = std::map<std::string, std::string, std::less<>>;
OwnValues own_defaults(const Family& family);

// Returns the network that the values describe, preferably with this image
// size; nullptr if none matches, or none with this number of heads.
const Network* find_network(
    const Family& family,
    const OwnValues& values,
    std::int64_t image_size,
    bool distilled);

// Returns why find_network() found none: the given values and the nearest
// networks.
std::string
no_network(const Family& family, const OwnValues& values, bool distilled);

// Keys of role kStart whose value is not the network's: "INIT_VALUES is 1e-05
// in cait_xxs24_224".
struct OtherStart {
  std::string key;
  std::string text;
};
std::vector<OtherStart> other_starts(
    const Family& family,
    const Network& network,
    const OwnValues& values);

} // namespace vitrain::config::paddlevit
