#include "config/load.h"

#include <fmt/format.h>

#include "config/layers.h"
#include "config/reader.h"
#include "core/text.h"

namespace vitrain::config {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDataPath = "-data_path";

// The folder of one source below the one that -data_path names.
std::string
source_path(SourceKind kind, const std::string& data_path, bool training) {
  if (kind == SourceKind::kCifar) {
    return data_path;
  }
  const fs::path folder = data_path;
  std::error_code error;
  const bool has_val = fs::exists(folder / "val", error);
  const char* name = training ? "train" : has_val ? "val" : "test";
  return (folder / name).native();
}

void apply_data_path(
    const std::string& data_path,
    Loaded& loaded,
    Reader& reader,
    Problems& problems) {
  const DataConfig& data = loaded.recipe.data;
  bool used = false;
  const auto apply = [&](const char* key, SourceKind kind, bool training) {
    if (is_generated(kind)) {
      return;
    }
    used = true;
    const auto origin = loaded.origins.find(key);
    if (origin == loaded.origins.end() ||
        !origin->second.source.starts_with("-set")) {
      reader.apply(
          {key,
           source_path(kind, data_path, training),
           kDataPath,
           Override::Form::kPlain});
    }
  };
  apply("data.train.path", data.train.kind, /*training=*/true);
  apply("data.eval.path", data.eval.kind, /*training=*/false);
  if (!used) {
    problems.add(
        {kDataPath},
        "",
        "the images of data.train.kind are generated: leave it out, "
        "or add -dataset folder or -dataset cifar");
  }
}

} // namespace

Loaded load(const LoadRequest& request) {
  Loaded loaded;
  Problems problems;
  Reader reader(loaded.recipe, loaded.origins, problems);
  if (request.file) {
    for (const Layer& layer : read_layers(*request.file, problems)) {
      reader.apply(layer);
    }
  }
  for (const Override& override : request.overrides) {
    reader.apply(override);
  }
  if (request.data_path) {
    apply_data_path(*request.data_path, loaded, reader, problems);
  }
  problems.throw_if_any();
  return loaded;
}

Recipe from_yaml(std::string_view yaml, const std::string& name) {
  Recipe recipe;
  Origins origins;
  Problems problems;
  Reader reader(recipe, origins, problems);
  std::optional<Node> root = parse_document(yaml, name, problems);
  if (root && is_recipe(*root, name, problems)) {
    for (const Node::Entry& entry : root->entries) {
      if (entry.key == "base") {
        problems.add(
            {name, entry.line, entry.column},
            "base",
            "not allowed here: a complete recipe has no base files");
      }
    }
    reader.apply(Layer{name, std::move(*root)});
  }
  problems.throw_if_any();
  return recipe;
}

} // namespace vitrain::config
