#include "support.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "core/error.h"

namespace vitrain::config {

TempFolder::TempFolder() {
  std::string name =
      (std::filesystem::temp_directory_path() / "vitrain-config-XXXXXX")
          .native();
  path_ = mkdtemp(name.data()) == nullptr ? "" : name;
  EXPECT_FALSE(path_.empty());
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TempFolder::write(
    const std::string& name,
    const std::string& content) const {
  const std::filesystem::path file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << content;
  return file;
}

std::string usage_error(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "";
}

std::string refusal_of(const std::string& yaml) {
  return usage_error([&] { from_yaml(yaml); });
}

Recipe recipe_with(const std::vector<std::string>& sets) {
  LoadRequest request;
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    request.overrides.push_back(
        {set.substr(0, equals), set.substr(equals + 1), "-set " + set});
  }
  return load(request).recipe;
}

} // namespace vitrain::config
