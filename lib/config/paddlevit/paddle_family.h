#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// Families of models in PaddleViT (one folder each): their own keys, and the
// mapping from their numbers to vitrain's networks. To add a family, add rows
// to families.cpp.
namespace vitrain::config::paddlevit {

// A key below MODEL that only some families have.
struct FamilyKey {
  enum class Role {
    kNumber, // one of the values that select a network
    kOnly, // must have its default; other values are other networks
    kStart, // initial value of weights; the network's own is used instead
    kIdle, // no effect, neither in vitrain nor in PaddleViT
    kFree, // any number; translate() handles it
  };
  std::string key; // below MODEL: "TRANS.EMBED_DIM"
  std::string value; // PaddleViT's default; canonical() is applied to it
  Role role = Role::kNumber;
};

// A network of vitrain (config/sections/model.h) that a family's file can
// describe.
struct Network {
  std::string name; // with one head; empty: vitrain has none
  std::int64_t image_size = 224; // size in the network's name
  // Values of the keys with roles kNumber and kStart, in the order of
  // PaddleFamily::keys, separated by blanks; `*`: any value.
  std::string numbers;
  // Name with a second head (if PaddleFamily::two_heads); empty: vitrain has
  // none.
  std::string distilled;
};

struct PaddleFamily {
  std::string name; // in messages: "CaiT", "Focal Transformer"
  // Values of MODEL.TYPE, in lower case, separated by blanks.
  std::string types;
  std::vector<FamilyKey> keys{};
  // Empty if vit_numbers is true, or available is false.
  std::vector<Network> networks{};
  // "KEY=VALUE": defaults that differ from those of most families.
  std::vector<std::string> defaults{};
  bool available = true; // vitrain has networks of the family
  // True for ViT and DeiT: no own keys, but all keys below MODEL that are not
  // common to all families, with any values.
  bool vit_numbers = false;
  // True: a DISTILLATION_TYPE other than none selects a network with two heads.
  bool two_heads = false;
  // vitrain's network supports stochastic depth; false: DROPPATH is ignored.
  bool drop_path = true;
  // True: the network determines the image size; DATA.IMAGE_SIZE is ignored.
  bool fixed_size = false;
  bool decays_all = false; // weight decay applies to all parameters
  // Note for the user on further differences from PaddleViT; only printed if
  // vit_numbers is false. If not available: the reason, or empty.
  std::string note{};
};

// Returns every family of PaddleViT, also those that are not available.
const std::vector<PaddleFamily>& families();
// Returns the family of a MODEL.TYPE, case-insensitively; null if PaddleViT has
// none.
const PaddleFamily* find_family(std::string_view type);

// Returns a value without blanks and with its numbers in their shortest form:
// "[1,1e-05]" for "[1.0, 1e-5]".
std::string canonical(std::string_view text);

// Values of all of a family's own keys, by FamilyKey::key, in the form of
// canonical(); null is "none", booleans are "true" and "false".
using OwnValues = std::map<std::string, std::string, std::less<>>;
OwnValues own_defaults(const PaddleFamily& family);

// Returns the network whose values of role kNumber are the given ones,
// preferably with this image size; nullptr if there is none. `distilled`: with
// two heads, if the family has such networks; otherwise with one.
const Network* find_network(
    const PaddleFamily& family,
    const OwnValues& values,
    std::int64_t image_size,
    bool distilled);

// Returns the reason why find_network() returned nullptr: up to three of the
// nearest networks, with the values in which they differ from the given ones.
std::string
no_network(const PaddleFamily& family, const OwnValues& values, bool distilled);

// A key of role kStart whose value differs from the network's.
struct OtherStart {
  std::string key;
  std::string text; // "starts at 1e-05, as timm's network does"
};
std::vector<OtherStart> other_starts(
    const PaddleFamily& family,
    const Network& network,
    const OwnValues& values);

} // namespace vitrain::config::paddlevit
