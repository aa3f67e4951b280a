#include "config/paddlevit/family_keys.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <string_view>

#include <fmt/format.h>

#include "config/schema/suggest.h"
#include "config/schema/values.h"
#include "core/text.h"

namespace vitrain::config::paddlevit {
namespace {

using Role = FamilyKey::Role;

constexpr std::string_view kModel = "MODEL.";
constexpr std::string_view kTrans = "TRANS";

Node::Entry* entry_of(Node& map, std::string_view key) {
  const auto found = std::ranges::find(map.entries, key, &Node::Entry::key);
  return found == map.entries.end() ? nullptr : &*found;
}

// Returns the map MODEL of a layer; null if it has none.
Node* model_of(Layer& layer) {
  Node::Entry* model = entry_of(layer.root, "MODEL");
  return model == nullptr || model->value.kind != Node::Kind::kMap
      ? nullptr
      : &model->value;
}

// Returns a value as written in a family's table; nullopt for a map, or a list
// with one.
std::optional<std::string> text_of(const Node& value) {
  switch (value.kind) {
    case Node::Kind::kNull:
      return "none";
    case Node::Kind::kScalar:
      return canonical(value.text);
    case Node::Kind::kMap:
      return std::nullopt;
    case Node::Kind::kList:
      break;
  }
  std::vector<std::string> items;
  for (const Node& item : value.items) {
    const std::optional<std::string> text = text_of(item);
    if (!text) {
      return std::nullopt;
    }
    items.push_back(*text);
  }
  return "[" + join(items, ",") + "]";
}

const FamilyKey* find_key(const PaddleFamily& family, std::string_view path) {
  const auto found = std::ranges::find(family.keys, path, &FamilyKey::key);
  return found == family.keys.end() ? nullptr : &*found;
}

bool is_section(const PaddleFamily& family, const std::string& path) {
  return std::ranges::any_of(family.keys, [&](const FamilyKey& key) {
    return key.key.starts_with(path + ".");
  });
}

std::string unknown_key(const PaddleFamily& family, const std::string& path) {
  Schema schema;
  schema.sections.push_back({"MODEL", ""});
  const auto add = [&](std::string_view key) {
    schema.fields.emplace_back().path = fmt::format("{}{}", kModel, key);
  };
  for (const foreign::Word& word : words()) {
    if (is_common(word.name)) {
      add(without_prefix(word.name, kModel));
    }
  }
  for (const FamilyKey& key : family.keys) {
    add(key.key);
  }
  return "unknown key" + suggestion(schema, path);
}

// Moves a family's keys out of one layer.
class Taker {
 public:
  Taker(
      const Layer& layer,
      Config& config,
      Origins& origins,
      Problems& problems,
      std::set<std::string>& wrong)
      : layer_(layer),
        config_(config),
        origins_(origins),
        problems_(problems),
        wrong_(wrong) {}

  // Takes a key; `path`: its path below MODEL, as written in the file.
  void take(const Node::Entry& entry, const std::string& path) {
    const PaddleFamily& family = *config_.family;
    const Position at_key = position(entry.line, entry.column);
    if (entry.value.kind == Node::Kind::kMap) {
      if (!is_section(family, path) && path != kTrans) {
        refuse(at_key, path, unknown_key(family, name(path)));
        return;
      }
      for (const Node::Entry& below : entry.value.entries) {
        take(below, path + "." + below.key);
      }
      return;
    }
    const FamilyKey* key = find_key(family, path);
    if (key == nullptr && path.starts_with(std::string(kTrans) + ".")) {
      key = find_key(family, path.substr(kTrans.size() + 1));
    }
    const std::optional<std::string> text = text_of(entry.value);
    if (key == nullptr) {
      refuse(at_key, path, unknown_key(family, name(path)));
    } else if (!text) {
      refuse(at_key, path, "expected a value or a list of values");
    } else {
      config_.own.find(key->key)->second = *text;
      origins_[name(key->key)] = position(entry.value.line, entry.value.column);
    }
  }

 private:
  static std::string name(std::string_view path) {
    return fmt::format("{}{}", kModel, path);
  }
  Position position(int line, int column) const {
    return {layer_.source, line, column, layer_.origin};
  }
  void refuse(const Position& at, const std::string& path, std::string text) {
    problems_.add(at, printable(name(path)), std::move(text));
    wrong_.insert(name(path));
  }

  const Layer& layer_;
  Config& config_;
  Origins& origins_;
  Problems& problems_;
  std::set<std::string>& wrong_;
};

// Renames the keys of ViT's first files (2021), and replaces the width of the
// MLP by its ratio. Width and hidden size may be in different files, one of
// which is the other's BASE.
void rename_first_keys(Node& trans, FirstWidths& widths) {
  std::optional<Node::Entry> ratio;
  for (Node::Entry& entry : trans.entries) {
    if (entry.key == "HIDDEN_SIZE" || entry.key == "EMBED_DIM") {
      parse_double(entry.value.text, widths.hidden);
      ratio = entry;
      entry.key = "EMBED_DIM";
    } else if (entry.key == "NUM_LAYERS") {
      entry.key = "DEPTH";
    } else if (entry.key == "MLP_DIM") {
      parse_double(entry.value.text, widths.mlp);
      ratio = entry;
    }
  }
  if (ratio && widths.hidden > 0.0 && widths.mlp > 0.0 &&
      entry_of(trans, "MLP_RATIO") == nullptr) {
    std::erase_if(trans.entries, [](const Node::Entry& entry) {
      return entry.key == "MLP_DIM";
    });
    ratio->key = "MLP_RATIO";
    ratio->value.text = fmt::format("{}", widths.mlp / widths.hidden);
    trans.entries.push_back(std::move(*ratio));
  }
}

} // namespace

Type type_of(const std::vector<Layer>& layers) {
  for (const Layer& layer : layers | std::views::reverse) {
    Layer copy = layer;
    Node* model = model_of(copy);
    const Node::Entry* type =
        model == nullptr ? nullptr : entry_of(*model, "TYPE");
    if (type != nullptr && type->value.kind == Node::Kind::kScalar) {
      return {
          type->value.text,
          {layer.source, type->value.line, type->value.column, layer.origin}};
    }
  }
  return {};
}

bool flatten_trans(Layer& layer, FirstWidths& widths) {
  Node* model = model_of(layer);
  Node::Entry* trans = model == nullptr ? nullptr : entry_of(*model, kTrans);
  if (trans == nullptr || trans->value.kind != Node::Kind::kMap) {
    return false;
  }
  Node below = std::move(trans->value);
  rename_first_keys(below, widths);
  std::erase_if(model->entries, [](const Node::Entry& entry) {
    return entry.key == kTrans;
  });
  for (Node::Entry& entry : below.entries) {
    model->entries.push_back(std::move(entry));
  }
  return true;
}

void take_own_keys(
    Layer& layer,
    Config& config,
    Origins& origins,
    Problems& problems,
    std::set<std::string>& wrong) {
  Node* model = model_of(layer);
  if (model == nullptr) {
    return;
  }
  const auto common = [](const Node::Entry& entry) {
    return is_common(fmt::format("{}{}", kModel, entry.key));
  };
  Taker taker(layer, config, origins, problems, wrong);
  for (const Node::Entry& entry : model->entries) {
    if (!common(entry)) {
      taker.take(entry, entry.key);
    }
  }
  std::erase_if(model->entries, std::not_fn(common));
}

void check_own_keys(
    const Config& config,
    const Type& type,
    const Origins& origins,
    Problems& problems,
    std::set<std::string>& wrong) {
  const PaddleFamily& family = *config.family;
  const auto refuse = [&](std::string key, const std::string& text) {
    const auto origin = origins.find(key);
    problems.add(
        origin == origins.end() ? type.position : origin->second, key, text);
    wrong.insert(std::move(key));
  };
  for (const FamilyKey& key : family.keys) {
    const std::string& value = config.own.find(key.key)->second;
    if (key.role == Role::kOnly && value != canonical(key.value)) {
      refuse(
          fmt::format("{}{}", kModel, key.key),
          fmt::format(
              "has to be {} in this version: other networks of {} are not "
              "available, got {}",
              key.value,
              family.name,
              value));
    }
  }
  if (config.network() == nullptr) {
    refuse("MODEL.TYPE", no_network(family, config.own, config.two_heads()));
  }
}

void note_own_keys(
    const Config& config,
    const Type& type,
    const Origins& origins,
    std::vector<std::string>& notes) {
  const PaddleFamily& family = *config.family;
  if (!family.note.empty()) {
    notes.push_back(fmt::format(
        "{}: MODEL.TYPE: {}: {}",
        type.position.text(),
        family.name,
        family.note));
  }
  const auto note = [&](std::string_view key, std::string_view text) {
    const std::string name = fmt::format("{}{}", kModel, key);
    const auto origin = origins.find(name);
    if (origin != origins.end()) {
      notes.push_back(fmt::format(
          "{}: {}: has no effect: {}", origin->second.text(), name, text));
    }
  };
  for (const FamilyKey& key : family.keys) {
    if (key.role == Role::kIdle) {
      note(key.key, "the other numbers make the model");
    }
  }
  if (const Network* network = config.network()) {
    for (const OtherStart& start : other_starts(family, *network, config.own)) {
      note(start.key, start.text);
    }
  }
}

} // namespace vitrain::config::paddlevit
