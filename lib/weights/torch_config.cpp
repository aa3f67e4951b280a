#include "weights/torch_config.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "weights/input_file.h"
#include "weights/pickle.h"
#include "weights/zip_file.h"

namespace vitrain::weights {
namespace {

using Kind = PickleValue::Kind;

// Returns the entries of a dict, or of an object's attributes (such as an
// argparse.Namespace's); null for other values.
const PickleValue* attributes(const PickleValue* value) {
  if (value != nullptr && value->is(Kind::kCall)) {
    value = value->state;
  }
  return value != nullptr && value->is(Kind::kDict) ? value : nullptr;
}

const PickleValue* find(const PickleValue* value, std::string_view key) {
  const PickleValue* dict = attributes(value);
  if (dict != nullptr) {
    for (const auto& [name, item] : dict->entries) {
      if (name->is(Kind::kText) && name->text == key) {
        return item;
      }
    }
  }
  return nullptr;
}

// Returns a plain value as JSON; null for other values, for lists of more than
// 100,000 items, and for lists in lists. Keeps the first 4096 bytes of a text.
Json to_json(const PickleValue* value, bool nested = false) {
  switch (value == nullptr ? Kind::kNone : value->kind) {
    case Kind::kBool:
      return value->integer != 0;
    case Kind::kInteger:
      return value->integer;
    case Kind::kReal:
      return value->real;
    case Kind::kText:
      return std::string(value->text.substr(0, 4096));
    case Kind::kList:
    case Kind::kTuple: {
      constexpr std::size_t kMost = 100'000; // limit for class names
      Json list = Json::array();
      if (nested || value->items.size() > kMost) {
        return nullptr;
      }
      for (const PickleValue::Ref item : value->items) {
        list.push_back(to_json(item, /*nested=*/true));
      }
      return list;
    }
    default:
      return nullptr;
  }
}

// Copies a value unless it is missing or `to_json` gives null.
void copy(const PickleValue* from, const char* key, Json& to) {
  Json value = to_json(find(from, key));
  if (!value.is_null()) {
    to[key] = std::move(value);
  }
}

// Reads the arguments of timm's train.py.
void read_timm_args(const PickleValue* args, Json& cfg) {
  for (const char* key :
       {"mean",
        "std",
        "interpolation",
        "crop_pct",
        "crop_mode",
        "num_classes"}) {
    copy(args, key, cfg);
  }
  copy(args, "input_size", cfg);
  for (const char* key : {"img_size", "input_size"}) { // DeiT's is a number
    const Json side = to_json(find(args, key));
    if (side.is_number_integer()) {
      cfg["input_size"] = {3, side, side};
    }
  }
}

// Reads the arguments of torchvision's references/classification/train.py.
void read_torchvision_args(const PickleValue* args, Json& cfg) {
  const Json side = to_json(find(args, "val_crop_size"));
  const Json resized = to_json(find(args, "val_resize_size"));
  if (!side.is_number_integer() || !resized.is_number_integer() || side <= 0 ||
      resized < side) {
    return;
  }
  cfg["input_size"] = {3, side, side};
  cfg["crop_pct"] = side.get<double>() / resized.get<double>();
  cfg["mean"] = {0.485, 0.456, 0.406};
  cfg["std"] = {0.229, 0.224, 0.225};
  copy(args, "interpolation", cfg);
}

Json config_of(const PickleValue& root) {
  Json config = Json::object();
  Json cfg = Json::object();
  for (const char* name : {"pretrained_cfg", "default_cfg"}) {
    const PickleValue* dict = attributes(find(&root, name));
    if (dict != nullptr && cfg.empty()) {
      for (const auto& [key, item] : dict->entries) {
        Json value = to_json(item);
        if (key->is(Kind::kText) && !value.is_null()) {
          cfg[std::string(key->text)] = std::move(value);
        }
      }
    }
  }
  const PickleValue* args = find(&root, "args");
  if (cfg.empty()) {
    find(args, "val_crop_size") == nullptr ? read_timm_args(args, cfg)
                                           : read_torchvision_args(args, cfg);
  }
  Json name = cfg.value("architecture", Json());
  for (const Json& other :
       {to_json(find(&root, "arch")), to_json(find(args, "model"))}) {
    name = name.is_string() ? name : other;
  }
  if (name.is_string()) {
    config["architecture"] = name;
  }
  if (config.empty() && cfg.empty()) {
    return nullptr;
  }
  config["pretrained_cfg"] = std::move(cfg);
  return config;
}

} // namespace

Json read_torch_config(const std::filesystem::path& path) {
  constexpr std::int64_t kMost = 256 << 20;
  try {
    const InputFile file(path);
    if (file.size() < 4 || file.read(/*size=*/4, /*offset=*/0) != "PK\3\4") {
      return nullptr;
    }
    const ZipFile zip(file);
    for (const auto& [name, member] : zip.members()) {
      if (name.ends_with("/data.pkl") && member.bytes <= kMost) {
        std::string bytes(static_cast<std::size_t>(member.bytes), '\0');
        zip.read(name, bytes.data(), member.bytes);
        return config_of(Pickle(bytes, file.source()).root());
      }
    }
  } catch (const Error&) {
    // The reader of the weights reports the error.
  }
  return nullptr;
}

} // namespace vitrain::weights
