#include "config/load/recipe_layers.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"
#include "core/url.h"

namespace vitrain::config {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = 1 << 20;
constexpr std::size_t kLongestChain = 16;
constexpr std::size_t kMostFiles = 100;

class LayerReader {
 public:
  LayerReader(Problems& problems, bool is_record)
      : problems_(problems), is_record_(is_record) {}

  // Reads a file and its bases. `from` and `key`: where the file was named.
  void read(
      const fs::path& file,
      const Position& from = {},
      const std::string& key = "") {
    const std::string source = printable(file.native());
    std::error_code error;
    const fs::path identity = fs::weakly_canonical(file, error);
    if (std::ranges::find(identities_, identity) != identities_.end()) {
      problems_.add(
          from,
          key,
          fmt::format(
              "files include one another: {} -> {}",
              join(chain_, " -> "),
              source));
      complete_ = false;
      return;
    }
    if (chain_.size() >= kLongestChain) {
      problems_.add(
          from, key, fmt::format("more than {} levels", kLongestChain));
      complete_ = false;
      return;
    }
    if (++files_ > kMostFiles) {
      problems_.add(from, key, fmt::format("more than {} files", kMostFiles));
      complete_ = false;
      return;
    }
    std::optional<Node> root = parse(file, source, from, key);
    if (!root) {
      complete_ = false;
      return;
    }
    chain_.push_back(source);
    identities_.push_back(identity);
    read_bases(*root, file, source);
    chain_.pop_back();
    identities_.pop_back();
    layers_.push_back({source, std::move(*root)});
  }

  FileLayers take() {
    return {std::move(layers_), complete_, without_user_info_};
  }

 private:
  std::optional<Node> parse(
      const fs::path& file,
      const std::string& source,
      const Position& from,
      const std::string& key) {
    std::string text;
    try {
      text = read_file(file, kLargestFile, ExitCode::kUsage);
    } catch (const Error& error) {
      problems_.add(from, key, error.what());
      return std::nullopt;
    }
    if (is_record_ && has_user_info(text)) {
      text = remove_user_info(text);
      without_user_info_ = true;
    }
    problems_.announce(source);
    std::optional<Node> root = parse_document(text, source, problems_);
    if (root && !is_recipe(*root, source, problems_)) {
      root.reset();
    }
    return root;
  }

  void read_bases(
      const Node& root,
      const fs::path& file,
      const std::string& source) {
    // PaddleViT's files have the key `BASE`; its value '' means no base.
    const auto base =
        std::ranges::find_if(root.entries, [](const Node::Entry& entry) {
          return entry.key == "base" || entry.key == "BASE";
        });
    if (base == root.entries.end()) {
      return;
    }
    const bool none_is_allowed = base->key == "BASE";
    const Node& value = base->value;
    const bool is_list = value.kind == Node::Kind::kList;
    const std::vector<Node> names =
        is_list ? value.items : std::vector<Node>{value};
    for (const Node& name : names) {
      const Position position{source, name.line, name.column};
      const bool none = name.kind == Node::Kind::kNull ||
          (name.kind == Node::Kind::kScalar && name.text.empty());
      if (none_is_allowed && none) {
        continue;
      }
      if (name.kind != Node::Kind::kScalar || name.text.empty()) {
        problems_.add(
            position,
            base->key,
            fmt::format(
                "expected a file name or a list of file names, got {}",
                describe(name)));
        complete_ = false;
        continue;
      }
      read(
          (file.parent_path() / name.text).lexically_normal(),
          position,
          base->key);
    }
  }

  Problems& problems_;
  std::vector<Layer> layers_;
  std::vector<std::string> chain_;
  std::vector<fs::path> identities_;
  std::size_t files_ = 0;
  bool complete_ = true;
  bool is_record_ = false;
  bool without_user_info_ = false;
};

} // namespace

FileLayers
read_layers(const fs::path& file, Problems& problems, bool is_record) {
  LayerReader reader(problems, is_record);
  reader.read(file);
  return reader.take();
}

bool is_recipe(
    const Node& root,
    const std::string& source,
    Problems& problems) {
  const Position start{source, root.line, root.column};
  if (root.kind == Node::Kind::kNull) {
    problems.add({source, 1, 1}, "", "the file is empty");
    return false;
  }
  if (root.kind != Node::Kind::kMap) {
    problems.add(
        start,
        "",
        fmt::format("expected keys such as `model:`, got {}", describe(root)));
    return false;
  }
  return true;
}

} // namespace vitrain::config
