#include "support.h"
#include "config/load_recipe.h"

namespace vitrain::config {

std::string usage_error(const std::function<void()>& action) {
  return error_of(ExitCode::kUsage, action);
}

std::string refusal_of_yaml(const std::string& yaml) {
  return usage_error([&] { from_yaml(yaml); });
}

Recipe recipe_with(const std::vector<std::string>& sets) {
  LoadRequest request;
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    request.overrides.push_back(
        {set.substr(0, equals),
         set.substr(equals + 1),
         "-set " + set,
         Override::Form::kYaml,
         Origin::kSet});
  }
  return load(request).recipe;
}

} // namespace vitrain::config
