#include "models/families/family.h"

#include <array>

#include "core/text.h"
#include "models/families/convnet.h"
#include "models/families/mlp.h"
#include "models/families/resnet.h"
#include "models/families/vit.h"

namespace vitrain::models {
namespace {

constexpr std::int64_t kImageNetClasses = 1000;

// In the order of `vitrain models`.
constexpr std::array kFamilies{&kVit, &kResNet, &kConvNet, &kMlp};

} // namespace

std::span<const Family* const> families() {
  return kFamilies;
}

std::optional<ModelSpec> find_model(const std::string& name) {
  for (const Family* family : kFamilies) {
    if (std::optional<ModelSpec> spec = family->find(name)) {
      spec->name = name;
      spec->family = family;
      spec->num_classes = kImageNetClasses;
      return spec;
    }
  }
  return std::nullopt;
}

std::vector<std::string> listed_names() {
  std::vector<std::string> names;
  for (const Family* family : kFamilies) {
    for (std::string& name : family->list()) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

bool parse_size(std::string_view text, std::int64_t& value) {
  return !text.empty() && text.front() >= '1' && text.front() <= '9' &&
      parse_int(text, value) && value <= 4096;
}

} // namespace vitrain::models
