#include "config/schema/suggest.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/text.h"

namespace vitrain::config {
namespace {

std::vector<std::string> all_paths(const Schema& schema) {
  std::vector<std::string> paths;
  for (const Field& field : schema.fields) {
    paths.push_back(field.path);
  }
  for (const Section& section : schema.sections) {
    paths.push_back(section.path);
  }
  return paths;
}

// Returns the key that the user most likely meant; "" if none is similar.
std::string meant(
    const Schema& schema,
    const std::string& path,
    const std::string& known_word) {
  const std::vector<std::string> paths = all_paths(schema);
  const std::string leaf = leaf_of(path);
  const std::string parent = parent_of(path);
  std::vector<std::string> siblings;
  std::vector<std::string> leaves;
  std::vector<std::string> twins;
  for (const std::string& known : paths) {
    leaves.push_back(leaf_of(known));
    if (parent_of(known) == parent) {
      siblings.push_back(leaves.back());
    }
    if (leaves.back() == leaf) {
      twins.push_back(known);
    }
  }
  if (twins.size() == 1) {
    return twins.front();
  }
  if (!known_word.empty()) {
    return known_word;
  }
  const std::string prefix = parent.empty() ? "" : parent + ".";
  if (const std::string near = nearest(leaf, siblings); !near.empty()) {
    return prefix + near;
  }
  if (!twins.empty()) {
    return twins.front();
  }
  const std::string near = nearest(leaf, leaves);
  return near.empty() ? ""
                      : paths[static_cast<std::size_t>(
                            std::ranges::find(leaves, near) - leaves.begin())];
}

} // namespace

std::string leaf_of(const std::string& path) {
  return path.substr(path.rfind('.') + 1);
}

std::string parent_of(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

std::string suggestion(
    const Schema& schema,
    const std::string& path,
    const std::string& known_word) {
  const std::string near = meant(schema, path, known_word);
  if (!near.empty()) {
    return fmt::format(". Did you mean {}?", near);
  }
  // Finds the nearest section above the key that exists.
  std::string parent = parent_of(path);
  const auto exists = [&] {
    return parent.empty() ||
        std::ranges::any_of(schema.sections, [&](const Section& section) {
             return section.path == parent;
           });
  };
  while (!exists()) {
    parent = parent_of(parent);
  }
  std::vector<std::string> keys;
  for (const std::string& known : all_paths(schema)) {
    if (parent_of(known) == parent) {
      keys.push_back(leaf_of(known));
    }
  }
  return fmt::format(
      "; {}: {}",
      parent.empty() ? "the sections are" : parent + " has",
      join(keys, ", "));
}

} // namespace vitrain::config
