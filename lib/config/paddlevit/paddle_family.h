#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Families of models in PaddleViT (one folder each): their own keys, and the
// mapping from their numbers to vitrain's networks. The other files of this
// folder have the rows; to add a family, add a row.
namespace vitrain::config {
struct Recipe;
}

namespace vitrain::config::paddlevit {

struct Config;

// A key below MODEL that only some families have.
struct FamilyKey {
  enum class Role {
    kNumber, // one of the numbers that name a network
    kOnly, // must have its default; other values are other networks
    kStart, // initial value of weights; the network has its own
    kIdle, // no effect, neither in vitrain nor in PaddleViT
    kFree, // any number; PaddleFamily::translate handles it
  };
  std::string_view key; // below MODEL: "TRANS.EMBED_DIM"
  std::string_view value; // PaddleViT's default, in the form of canonical()
  Role role = Role::kNumber;
};

// A network of vitrain (config/sections/model.h) that a family's file can
// describe.
struct Network {
  std::string_view name; // with one head; empty: vitrain has none
  std::int64_t image_size; // size in the network's name
  // Values of the keys with roles kNumber and kStart, in their order, separated
  // by blanks; `*`: any value.
  std::string_view numbers;
  // Name with a second head (if PaddleFamily::two_heads).
  std::string_view distilled{};
};

// Defaults that differ between families; defaults_of() has the common defaults.
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
  bool half = false; // mean and standard deviation 0.5 instead of ImageNet's
  std::string_view distillation = "none";
  void (*also)(Config&) = nullptr;
};

struct PaddleFamily {
  std::string_view name; // in messages: "CaiT", "Focal Transformer"
  // Values of MODEL.TYPE, in lower case, separated by blanks.
  std::string_view types;
  std::span<const FamilyKey> keys{};
  std::span<const Network> networks{}; // empty: see vit_numbers
  Defaults defaults{};
  bool available = true;
  std::string_view why{}; // reason if it is not available
  // True for ViT and DeiT: the family has the keys of paddlevit::PaddleModel,
  // with any values.
  bool vit_numbers = false;
  // True: DISTILLATION_TYPE also selects the network.
  bool two_heads = false;
  bool drop_path = true; // vitrain's network supports stochastic depth
  // True: the network determines the image size; DATA.IMAGE_SIZE is ignored.
  bool fixed_size = false;
  bool decays_all = false; // weight decay applies to all parameters
  // Translates the family's own keys, except for the network's name; null:
  // nothing to translate.
  void (*translate)(const Config&, Recipe&) = nullptr;
  std::string_view note{}; // further differences; printed at the start
};

// Returns every family of PaddleViT.
std::vector<const PaddleFamily*> families();
// Returns the family of a MODEL.TYPE, case-insensitively; null if PaddleViT has
// none.
const PaddleFamily* find_family(std::string_view type);

// Returns a value in the form of the tables: without blanks, numbers in their
// shortest form, `none`, `true`, `[1,2]`.
std::string canonical(std::string_view text);

// Values of a family's own keys, by key.
using OwnValues = std::map<std::string, std::string, std::less<>>;
OwnValues own_defaults(const PaddleFamily& family);

// Returns the network that the values describe, preferably with this image
// size; nullptr if none matches, or none with this number of heads.
const Network* find_network(
    const PaddleFamily& family,
    const OwnValues& values,
    std::int64_t image_size,
    bool distilled);

// Returns the reason why find_network() returned nullptr: the given values and
// the nearest networks.
std::string
no_network(const PaddleFamily& family, const OwnValues& values, bool distilled);

// A key of role kStart whose value differs from the network's; `text`:
// "INIT_VALUES is 1e-05 in cait_xxs24_224".
struct OtherStart {
  std::string key;
  std::string text;
};
std::vector<OtherStart> other_starts(
    const PaddleFamily& family,
    const Network& network,
    const OwnValues& values);

} // namespace vitrain::config::paddlevit
