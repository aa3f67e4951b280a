#include "config/paddlevit/paddlevit.h"

#include <algorithm>

#include <fmt/format.h>

#include "config/load/reader.h"
#include "config/load/writer.h"
#include "config/paddlevit/family_keys.h"
#include "config/paddlevit/paddlevit_keys.h"
#include "config/schema/suggest.h"
#include "config/schema/values.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

using foreign::Word;
using paddlevit::Config;
using paddlevit::Limit;
using paddlevit::Otherwise;

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

bool is_one_of(
    const std::string& text,
    std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

bool is_number(const std::string& text) {
  double ignored = 0.0;
  return text.find_first_of("0123456789") != std::string::npos &&
      parse_double(text, ignored);
}

// Parses a scalar as PaddleViT does: as YAML 1.1, then texts again as Python
// literals, which turns `None`, `(0.9, 0.999)` and `'3e-3'` into values.
Node python_literal(Node node) {
  const std::string text(trim(node.text));
  const auto becomes = [&](const char* value) {
    node.text = value;
    node.quoted = false;
    return node;
  };
  if (is_one_of(text, {"True"}) ||
      (!node.quoted &&
       is_one_of(text, {"TRUE", "yes", "Yes", "YES", "on", "On", "ON"}))) {
    return becomes("true");
  }
  if (is_one_of(text, {"False"}) ||
      (!node.quoted &&
       is_one_of(text, {"FALSE", "no", "No", "NO", "off", "Off", "OFF"}))) {
    return becomes("false");
  }
  if (text == "None") {
    node.kind = Node::Kind::kNull;
    return becomes("");
  }
  const bool brackets = text.size() >= 2 &&
      ((text.front() == '(' && text.back() == ')') ||
       (text.front() == '[' && text.back() == ']'));
  if (brackets) {
    node.kind = Node::Kind::kList;
    for (const std::string& part :
         split(text.substr(1, text.size() - 2), ',')) {
      Node item = node;
      item.kind = Node::Kind::kScalar;
      item.items.clear();
      item.text = trim(part);
      item.quoted = false;
      if (!item.text.empty()) { // (1,) has one item: nothing follows the comma
        node.items.push_back(python_literal(std::move(item)));
      }
    }
    return becomes("");
  }
  node.quoted = node.quoted && !is_number(text);
  return node;
}

Node python_literals(const Node& node) {
  if (node.kind == Node::Kind::kScalar) {
    return python_literal(node);
  }
  Node read = node;
  for (Node& item : read.items) {
    item = python_literals(item);
  }
  for (Node::Entry& entry : read.entries) {
    entry.value = python_literals(entry.value);
  }
  return read;
}

// Returns a layer that contains only this override.
Layer layer_of(const Override& override) {
  Problems ignored;
  std::optional<Node> value =
      parse_document(override.value, override.source, ignored);
  if (!value || !ignored.empty()) {
    value.emplace();
    value->kind = Node::Kind::kScalar;
    value->text = override.value;
  }
  std::vector<std::string> names = split(override.key, '.');
  std::ranges::reverse(names);
  for (const std::string& name : names) {
    Node map;
    map.kind = Node::Kind::kMap;
    value->line = 0;
    map.entries.push_back({name, 0, 0, std::move(*value)});
    value = std::move(map);
  }
  return {override.source, std::move(*value), override.origin};
}

// Reads the layers into `config`. Returns the keys that have a problem.
std::set<std::string> read(
    Config& config,
    std::span<const Layer> layers,
    Origins& origins,
    Problems& problems) {
  Reader reader(schema_of(config), origins, problems);
  for (const Layer& layer : layers) {
    reader.apply(layer);
  }
  return reader.wrong();
}

Position default_position() {
  return {"PaddleViT's default", 0, 0, Origin::kDefault};
}

Position position_of(const Origins& origins, std::string_view key) {
  const auto origin = origins.find(std::string(key));
  return origin == origins.end() ? default_position() : origin->second;
}

// Returns the origins of the recipe's keys. A key gets the position of the
// first of PaddleViT's keys for it that is set. The keys of data paths are
// added when the paths are applied.
Origins translate_origins(const Origins& from, const Recipe& recipe) {
  Origins to;
  for (const Word& word : paddlevit::words()) {
    for (const std::string& key : split(word.sets, ' ')) {
      const auto known = to.find(key);
      if (known == to.end() || known->second.origin == Origin::kDefault) {
        to[key] = position_of(from, word.name);
      }
    }
  }
  for (const char* key : {"", "data.train.path", "data.eval.path"}) {
    to.erase(key);
  }
  // Keys that the translation changes, although PaddleViT has no key for them,
  // get the position of defaults.
  for (const Difference& own : differences(Recipe{}, recipe)) {
    to.try_emplace(own.key, default_position());
  }
  return to;
}

// Returns the message for a limit that `value`, the key's value, exceeds.
std::string limit_text(const Limit& limit, const std::string& value) {
  if (limit.off.empty()) {
    return fmt::format("{}, got {}", limit.text, value);
  }
  return fmt::format(
      "{}, got {}; to train without it, say {}: {} in the file, or -set {}={}",
      limit.text,
      value,
      leaf_of(std::string(limit.key)),
      limit.off,
      limit.key,
      limit.off);
}

void check_limits(
    Config& config,
    const Origins& origins,
    RecipeUse use,
    std::vector<std::string>& notes,
    std::set<std::string>& wrong,
    Problems& problems) {
  const Schema schema = schema_of(config);
  for (const Limit& limit : paddlevit::limits()) {
    if (limit.holds(config)) {
      continue;
    }
    const Position position = position_of(origins, limit.key);
    const std::string key(limit.key);
    const std::string value =
        write_value(*std::ranges::find(schema.fields, key, &Field::path));
    if (limit.otherwise == Otherwise::kTrainedWithout) {
      if (use != RecipeUse::kEvaluation) {
        notes.push_back(fmt::format(
            "{}: {}: {}: {}", position.text(), key, value, limit.text));
      }
      continue;
    }
    const std::string text = limit_text(limit, value);
    if (limit.otherwise == Otherwise::kRefused || use == RecipeUse::kTraining) {
      problems.add(position, key, text);
      wrong.insert(key);
    } else if (use == RecipeUse::kLook) {
      notes.push_back(fmt::format(
          "{}: {}: refused for training: {}", position.text(), key, text));
    }
  }
}

// Adds notes on keys that are set but have no effect: keys that set nothing and
// have no limit, and keys that others disable.
void note_unused_keys(
    const Config& config,
    const Origins& origins,
    std::vector<std::string>& notes) {
  for (const Word& word : paddlevit::words()) {
    const auto origin = origins.find(word.name);
    const bool limited = std::ranges::any_of(
        paddlevit::limits(),
        [&](const Limit& limit) { return limit.key == word.name; });
    const std::string_view reason = word.sets.empty() && !limited
        ? word.note
        : paddlevit::idle_beside_others(config, word.name);
    if (origin != origins.end() && !reason.empty()) {
      notes.push_back(fmt::format(
          "{}: {}: has no effect: {}",
          origin->second.text(),
          word.name,
          reason));
    }
  }
}

// Returns the family's defaults. Moves the values of the keys that only this
// family has from `layers` into them; for families with vit_numbers, instead
// brings older layers into the present form.
Config own_config(
    std::vector<Layer>& layers,
    const paddlevit::Type& type,
    Origins& origins,
    Problems& problems,
    std::set<std::string>& wrong) {
  Config config = paddlevit::defaults_of(type.text);
  if (config.vit_numbers) {
    bool older = false;
    paddlevit::FirstWidths widths;
    for (Layer& layer : layers) {
      older = paddlevit::flatten_trans(layer, widths) || older;
    }
    if (older && config.family->name == "ViT") {
      paddlevit::use_older_defaults(config);
    }
    return config;
  }
  for (Layer& layer : layers) {
    paddlevit::take_own_keys(layer, config, origins, problems, wrong);
  }
  return config;
}

} // namespace

bool is_paddlevit(const Node& root) {
  const auto known = [](const Node::Entry& entry) {
    return entry.key == "BASE" ||
        std::ranges::any_of(paddlevit::words(), [&](const Word& word) {
             return word.name.substr(0, word.name.find('.')) == entry.key;
           });
  };
  return std::ranges::any_of(root.entries, known);
}

bool is_paddlevit_key(const std::string& key) {
  return !key.empty() && is_upper(key.front());
}

std::set<std::string> paddlevit_sets(
    const std::set<std::string>& keys,
    std::set<std::string> own) {
  for (const std::string& key : keys) {
    for (const Word& word : paddlevit::words()) {
      // A problem with a section affects all of its keys.
      if (word.name == key || word.name.starts_with(key + ".")) {
        for (const std::string& set : split(word.sets, ' ')) {
          own.insert(set);
        }
        if (word.name == "MODEL.TYPE") { // its defaults depend on the family
          own.insert(kAllKeys);
        }
      }
    }
    if (key.starts_with("MODEL.")) { // a key of some families
      own.insert({"model.name", "model.image_size"});
    }
  }
  own.erase("");
  return own;
}

PaddleVitRecipe read_paddlevit(
    std::span<const Layer> layers,
    std::span<const Override> overrides,
    RecipeUse use,
    Problems& problems) {
  std::vector<Layer> all(layers.begin(), layers.end());
  for (const Override& override : overrides) {
    if (is_paddlevit_key(override.key)) {
      all.push_back(layer_of(override));
    }
  }
  for (Layer& layer : all) {
    layer.root = python_literals(layer.root);
  }
  PaddleVitRecipe result;
  const paddlevit::Type type = paddlevit::type_of(all);
  if (const std::string text = paddlevit::refusal_of_type(type.text);
      !text.empty()) {
    problems.add(type.position, "MODEL.TYPE", text);
    result.wrong.insert("MODEL.TYPE");
    result.data_path_position = default_position();
    return result;
  }
  Origins origins;
  Config config = own_config(all, type, origins, problems, result.wrong);
  const bool known_numbers = result.wrong.empty();
  result.wrong.merge(read(config, all, origins, problems));
  if (!config.vit_numbers && known_numbers) {
    paddlevit::check_own_keys(config, type, origins, problems, result.wrong);
  }
  std::vector<std::string>& notes = result.loaded.notes;
  notes.push_back(fmt::format(
      "{}: read as PaddleViT's (`vitrain config show` prints the recipe)",
      layers.back().source));
  check_limits(config, origins, use, notes, result.wrong, problems);
  note_unused_keys(config, origins, notes);
  if (!config.vit_numbers) {
    paddlevit::note_own_keys(config, type, origins, notes);
    // This key determines model.name.
    origins.try_emplace("MODEL.EMBED_DIM", type.position);
  }
  result.loaded.recipe =
      paddlevit::translate(config, use != RecipeUse::kEvaluation);
  result.loaded.origins = translate_origins(origins, result.loaded.recipe);
  result.data_path = config.text("DATA.DATA_PATH");
  result.data_path_position = position_of(origins, "DATA.DATA_PATH");
  return result;
}

} // namespace vitrain::config
