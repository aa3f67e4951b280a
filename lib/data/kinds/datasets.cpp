#include "data/kinds/datasets.h"

#include <algorithm>
#include <array>

#include "core/check.h"
#include "core/system/missing_path.h"
#include "core/text.h"
#include "data/kinds/kinds.h"
#include "data/sources/missing_path.h"

namespace vitrain::data {
namespace {

struct Functions {
  Index (*list)(const SourceOptions& options);
  std::unique_ptr<Source> (*open)(std::shared_ptr<const Index> index);
};

// Replaces the path at the start of a message by its normalised form, without
// "." and "..".
std::string with_normalised_path(
    const std::string& message,
    const std::string& path) {
  const std::string given = printable(path);
  const std::string normal = printable(normalised(path).native());
  return message.starts_with(given) ? normal + message.substr(given.size())
                                    : message;
}

const Functions& functions_of(SourceKind kind) {
  static constexpr auto kFunctions = std::to_array<Functions>({
#define VITRAIN_SOURCE(enumerator, name) \
  {detail::list_##name, detail::open_##name},
      VITRAIN_SOURCE_KINDS(VITRAIN_SOURCE)
#undef VITRAIN_SOURCE
  });
  return kFunctions.at(static_cast<std::size_t>(kind));
}

} // namespace

Index list(const SourceOptions& options) {
  try {
    return functions_of(options.kind).list(options);
  } catch (const Error& error) {
    const std::string advice = advise_on_missing(options.path);
    std::string text = advice.empty()
        ? std::string(error.what())
        : with_normalised_path(error.what(), options.path);
    // The advice begins with the missing part, too.
    const std::string part = describe_missing_part(options.path);
    if (advice.starts_with(part) && text.ends_with(part)) {
      text.resize(text.size() - part.size());
    }
    fail(error.code(), "{}{}", text, advice);
  }
}

std::unique_ptr<Source> open(std::shared_ptr<const Index> index) {
  const auto open_kind = functions_of(index->options().kind).open;
  return open_kind(std::move(index));
}

void check_for_training(const Index& index) {
  const SourceKind kind = index.options().kind;
  VITRAIN_CHECK_DATA(
      kind == SourceKind::kVectors || index.classes().size() >= 2,
      "{}: only one class ('{}') was found, and one class cannot be learned{}",
      printable(index.options().path),
      printable(index.classes().at(0)),
      kind == SourceKind::kFolder
          ? "; put the images of each class into a sub-folder of their own"
          : "");
}

namespace {

// Returns true if a class map can number the classes of both datasets.
bool may_be_mapped(const Index& train, const Index& eval) {
  return std::ranges::all_of(std::array{&train, &eval}, [](const Index* index) {
    const SourceKind kind = index->options().kind;
    return kind == SourceKind::kFolder || kind == SourceKind::kList ||
        kind == SourceKind::kTar;
  });
}

} // namespace

void check_same_classes(const Index& train, const Index& eval) {
  if (train.options().kind == SourceKind::kVectors &&
      eval.options().kind == SourceKind::kVectors) {
    const SourceOptions& a = train.options();
    const SourceOptions& b = eval.options();
    VITRAIN_CHECK_DATA(
        a.features == b.features && a.targets == b.targets,
        "training data have {} features and {} targets, evaluation data {} and "
        "{}: they must be the same",
        a.features,
        a.targets,
        b.features,
        b.targets);
    return;
  }
  const auto& a = train.classes();
  const auto& b = eval.classes();
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::string* left = i < a.size() ? &a[i] : nullptr;
    const std::string* right = i < b.size() ? &b[i] : nullptr;
    if (left != nullptr && right != nullptr && *left == *right) {
      continue;
    }
    const auto name = [](const std::string* text) {
      return text == nullptr ? std::string("missing")
                             : "'" + printable(*text) + "'";
    };
    fail_data(
        "training and evaluation data have different classes, so labels would "
        "not mean the same: class {} is {} in the training data ({} classes, "
        "{}) and {} in the evaluation data ({} classes, {}); give both the "
        "same classes{}",
        i,
        name(left),
        with_commas(std::ssize(a)),
        printable(train.options().path),
        name(right),
        with_commas(std::ssize(b)),
        printable(eval.options().path),
        may_be_mapped(train, eval)
            ? ", or name those that count, one per line in their order, in a "
              "file that data.train.class_map and data.eval.class_map name"
            : "");
  }
}

} // namespace vitrain::data
