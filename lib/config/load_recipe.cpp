#include "config/load_recipe.h"

#include <algorithm>
#include <ranges>
#include <span>

#include <fmt/format.h>

#include "config/foreign/words.h"
#include "config/load/reader.h"
#include "config/load/recipe_layers.h"
#include "config/paddlevit/paddlevit.h"
#include "config/rules/unused_keys.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDataPath = "-data_path";

// Returns the folder or file of one source below -data_path.
std::string
source_path(SourceKind kind, const std::string& data_path, bool training) {
  if (kind == SourceKind::kCifar || kind == SourceKind::kMnist) {
    return data_path;
  }
  const fs::path folder = data_path;
  std::error_code error;
  if (kind == SourceKind::kList) {
    const fs::path lines =
        folder / (training ? "train_list.txt" : "val_list.txt");
    const fs::path table = folder / (training ? "train.csv" : "val.csv");
    const bool only_table =
        !fs::exists(lines, error) && fs::exists(table, error);
    return only_table ? table.native() : lines.native();
  }
  const auto find = [&](const std::string& end) {
    const fs::path val = folder / ("val" + end);
    const fs::path test = folder / ("test" + end);
    // If neither val nor test exists, reports val as missing.
    return training ? folder / ("train" + end)
        : !fs::exists(val, error) && fs::exists(test, error) ? test
                                                             : val;
  };
  if (kind == SourceKind::kTar) {
    const fs::path tar = find(".tar");
    return fs::exists(tar, error) ? tar.native() : find("").native();
  }
  if (kind != SourceKind::kVectors) {
    return find("").native();
  }
  const fs::path npy = find(".npy");
  return fs::exists(npy, error) ? npy.native() : find(".csv").native();
}

// Returns the names of training data below the folder of -data_path.
std::vector<std::string> training_names(SourceKind kind) {
  switch (kind) {
    case SourceKind::kFolder:
      return {"train"};
    case SourceKind::kTar:
      return {"train", "train.tar"};
    case SourceKind::kList:
      return {"train_list.txt", "train.csv"};
    case SourceKind::kVectors:
      return {"train.npy", "train.csv"};
    default:
      return {};
  }
}

// Returns the dataset's folder for -data_path. If -data_path names the training
// data themselves, that is its parent.
std::string folder_of_data(SourceKind kind, const std::string& data_path) {
  const fs::path path = fs::path(data_path).lexically_normal();
  const fs::path whole = path.has_filename() ? path : path.parent_path();
  const std::vector<std::string> names = training_names(kind);
  std::error_code error;
  const bool is_training =
      std::ranges::find(names, whole.filename().native()) != names.end() &&
      fs::exists(whole, error) &&
      std::ranges::none_of(names, [&](const std::string& name) {
        return fs::exists(whole / name, error);
      });
  if (!is_training) {
    return data_path;
  }
  return whole.has_parent_path() ? whole.parent_path().native() : ".";
}

// Returns true for kinds of source for which -data_path may name the whole
// dataset if data.split is set.
bool is_whole(SourceKind kind) {
  return kind == SourceKind::kFolder || kind == SourceKind::kTar;
}

bool is_set_by_hand(const Loaded& loaded, const std::string& key) {
  const auto origin = loaded.origins.find(key);
  return origin != loaded.origins.end() &&
      origin->second.origin == Origin::kSet;
}

// Applies -data_path or its equivalent, which was given at `place`. Returns
// false if no source reads files.
bool apply_data_path(
    const std::string& given,
    const Position& place,
    Loaded& loaded,
    Reader& reader) {
  const DataConfig& data = loaded.recipe.data;
  const std::string data_path =
      data.split ? given : folder_of_data(data.train.kind, given);
  if (data_path != given) {
    loaded.notes.push_back(fmt::format(
        "{}: {} is the training data; the evaluation data are looked for "
        "beside them, in {}",
        place.text(),
        printable(given),
        printable(data_path)));
  }
  const auto path_of = [&](SourceKind kind, bool training) {
    if (training && data_path != given) { // -data_path names the training data
      const fs::path path = fs::path(given).lexically_normal();
      return (path.has_filename() ? path : path.parent_path()).native();
    }
    std::string path = source_path(kind, data_path, training);
    std::error_code error;
    // With data.split, the dataset may be the folder itself.
    return data.split && is_whole(kind) && !fs::exists(path, error) ? data_path
                                                                    : path;
  };
  bool used = false;
  const auto apply = [&](const char* key, SourceKind kind, bool training) {
    if (kind == SourceKind::kShapes || kind == SourceKind::kRandom) {
      return;
    }
    used = true;
    if (!is_set_by_hand(loaded, key)) {
      reader.apply(
          {key,
           path_of(kind, training),
           place.text(),
           Override::Form::kPlain,
           place.origin});
    }
  };
  apply("data.train.path", data.train.kind, /*training=*/true);
  if (!data.split) {
    apply("data.eval.path", data.eval.kind, /*training=*/false);
  }
  return used;
}

// With data.split, copies the training source to the evaluation source, unless
// it is generated, or the user set the latter, which a later check refuses.
void follow_split(Loaded& loaded) {
  DataConfig& data = loaded.recipe.data;
  const bool unsaid = !data.eval.path &&
      (data.eval.kind == SourceConfig{}.kind ||
       data.eval.kind == data.train.kind);
  if (data.split && unsaid && !is_generated(data.train)) {
    data.eval = data.train;
  }
}

// Returns true if the layers are PaddleViT's. Adds a problem if files of both
// formats are mixed.
bool check_dialect(const std::vector<Layer>& layers, Problems& problems) {
  if (layers.empty()) {
    return false;
  }
  const bool dialect = is_paddlevit(layers.back().root);
  for (const Layer& layer : layers) {
    if (is_paddlevit(layer.root) != dialect) {
      problems.add(
          {layer.source, 1, 1},
          "",
          fmt::format(
              "its keys are {}, but those of {}, which is based on it, are "
              "not: write both in one dialect",
              dialect ? "this program's own (lower-case)"
                      : "PaddleViT's (upper-case)",
              layers.back().source));
    }
  }
  return dialect;
}

void apply_overrides(
    std::span<const Override> overrides,
    bool dialect,
    Loaded& loaded,
    Reader& reader) {
  for (const Override& override : overrides) {
    // Overrides of PaddleViT's keys were applied when its layers were read; its
    // keys from -set take precedence over other options.
    const bool done = dialect &&
        (is_paddlevit_key(override.key) ||
         (override.origin != Origin::kSet &&
          is_set_by_hand(loaded, override.key)));
    if (!done) {
      reader.apply(override);
    }
  }
  // Before -data_path, which depends on it.
  if (DataConfig& data = loaded.recipe.data; data.fold && !data.split) {
    data.split = 1.0 / static_cast<double>((*data.fold)[1]);
  }
}

// Adds notes on keys that have no effect.
void note_unused_keys(Loaded& loaded) {
  for (const Finding& idle : unused_keys(loaded.recipe, loaded.origins)) {
    const auto origin = loaded.origins.find(idle.key);
    loaded.notes.push_back(fmt::format(
        "{}{}: {}",
        origin == loaded.origins.end() ? "" : origin->second.text() + ": ",
        idle.key,
        idle.text));
  }
}

FileLayers layers_of(const LoadRequest& request, Problems& problems) {
  return request.file ? read_layers(*request.file, problems, request.is_record)
                      : FileLayers{};
}

// Adds a note if the user information of a URL was removed when a run's record
// was read.
void note_user_info(
    const LoadRequest& request,
    const FileLayers& files,
    Loaded& loaded) {
  if (files.without_user_info) {
    loaded.notes.push_back(fmt::format(
        "{}: the user information of its URL is left out; set "
        "MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or "
        "MLFLOW_TRACKING_TOKEN, in the environment",
        printable(request.file->native())));
  }
}

// Returns the keys whose values are unknown because of problems. If a file
// could not be read, only keys set by the last file (`top`) and the command
// line are known, because they take precedence.
std::set<std::string> unread_keys(
    Loaded& loaded,
    std::set<std::string> unread,
    bool dialect,
    bool complete,
    const std::string& top) {
  if (complete && !unread.contains(kAllKeys)) {
    return unread;
  }
  for (const Field& field : schema_of(loaded.recipe).fields) {
    const auto origin = loaded.origins.find(field.path);
    const bool known = origin != loaded.origins.end() &&
        ((origin->second.source == top && !dialect) ||
         origin->second.line == 0);
    if (!known || (dialect && origin->second.origin == Origin::kDefault)) {
      unread.insert(field.path);
    }
  }
  return unread;
}

} // namespace

std::size_t PartialRecipe::layer_of(const Position& position) const {
  switch (position.origin) {
    case Origin::kDefault:
      return 0;
    case Origin::kFile: {
      const auto file = std::ranges::find(
          files | std::views::reverse, position.source, &FileLayer::source);
      return static_cast<std::size_t>(files.rend() - file);
    }
    case Origin::kOption:
      return files.size() + 1;
    case Origin::kSet:
      return files.size() + 2;
  }
  return 0;
}

Loaded load(const LoadRequest& request) {
  Problems problems;
  Loaded loaded = read(request, problems);
  problems.throw_if_any();
  return loaded;
}

PartialRecipe read(const LoadRequest& request, Problems& problems) {
  PartialRecipe loaded;
  const FileLayers files = layers_of(request, problems);
  const std::vector<Layer>& layers = files.layers;
  std::size_t before = problems.size();
  const bool dialect = check_dialect(layers, problems);
  const bool complete = files.complete && problems.size() == before;
  PaddleVitRecipe paddlevit;
  if (dialect) {
    paddlevit =
        read_paddlevit(layers, request.overrides, request.use, problems);
    static_cast<Loaded&>(loaded) = std::move(paddlevit.loaded);
  }
  note_user_info(request, files, loaded);
  Reader reader(
      schema_of(loaded.recipe), loaded.origins, problems, &foreign::key_of);
  for (const Layer& layer : layers) {
    if (!dialect) {
      reader.apply(layer);
    }
    loaded.files.push_back({layer.source, loaded.recipe.model.name});
  }
  before = problems.size();
  apply_overrides(request.overrides, dialect, loaded, reader);
  // If the kinds of source have problems, do not also report that -data_path
  // does not fit them.
  const bool kinds_count = problems.size() == before;
  const Position& place = paddlevit.data_path_position;
  if (request.data_path && place.origin != Origin::kSet) {
    if (!apply_data_path(
            *request.data_path,
            {kDataPath, 0, 0, Origin::kOption},
            loaded,
            reader) &&
        kinds_count) {
      problems.add(
          {kDataPath},
          "",
          "the images of data.train.kind are generated: leave it out, "
          "or add -dataset folder, list or cifar");
    }
  } else if (dialect) {
    apply_data_path(paddlevit.data_path, place, loaded, reader);
  }
  follow_split(loaded);
  if (problems.empty()) {
    if (request.use != RecipeUse::kEvaluation) {
      note_unused_keys(loaded);
    }
  } else {
    loaded.unread = unread_keys(
        loaded,
        dialect ? paddlevit_sets(paddlevit.wrong, reader.wrong())
                : reader.wrong(),
        dialect,
        complete,
        request.file ? printable(request.file->native()) : "");
  }
  return loaded;
}

Recipe from_yaml(std::string_view yaml, const std::string& name) {
  Recipe recipe;
  Origins origins;
  Problems problems;
  Reader reader(schema_of(recipe), origins, problems, &foreign::key_of);
  std::optional<Node> root = parse_document(yaml, name, problems);
  if (root && is_recipe(*root, name, problems)) {
    for (const Node::Entry& entry : root->entries) {
      if (entry.key == "base" || entry.key == "BASE") {
        problems.add(
            {name, entry.line, entry.column},
            entry.key,
            "not allowed here: a complete recipe has no base files");
      }
    }
    reader.apply(Layer{name, std::move(*root)});
  }
  problems.throw_if_any();
  return recipe;
}

} // namespace vitrain::config
