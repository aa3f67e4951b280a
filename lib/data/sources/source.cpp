#include "data/sources/source.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/check.h"
#include "core/files/files.h"
#include "core/text/ascii.h"
#include "core/text/text.h"
#include "data/sources/kinds/kinds.h"
#include "image/formats/decode.h"

namespace vitrain::data {

namespace {

struct Functions {
  Index (*list)(const SourceOptions& options);
  std::unique_ptr<Source> (*open)(std::shared_ptr<const Index> index);
};

// What the data of an evaluation may be called instead.
std::filesystem::path other_name(const std::filesystem::path& path) {
  if (path.filename() == "val_list.txt") {
    return path.parent_path() / "val.csv";
  }
  return path.stem() == "val"
      ? path.parent_path() / ("test" + path.extension().native())
      : std::filesystem::path();
}

// Added to what is wrong with a path that does not exist: where that is, and
// whether there is what else it could be.
std::string about_missing(const std::string& name) {
  const std::filesystem::path path = name;
  std::error_code error;
  // A pattern, or a folder inside an archive, is no file's name.
  if (name.empty() || std::filesystem::exists(path, error) ||
      name.find_first_of("*?[{") != name.npos ||
      std::filesystem::is_regular_file(path.parent_path(), error)) {
    return "";
  }
  std::string text;
  if (const auto other = other_name(path); !other.empty()) {
    text += fmt::format(
        "; {} {}",
        printable(other.native()),
        std::filesystem::exists(other, error) ? "is there: set it as the path"
                                              : "is not there, either");
  }
  if (path.is_relative()) {
    text += fmt::format(
        "\nPaths of data are relative to the working directory: this one is "
        "{}",
        printable(std::filesystem::absolute(path, error).native()));
  }
  return text;
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

void detail::read_image_file(
    const std::filesystem::path& file,
    std::string& bytes) {
  read_file(
      file, static_cast<std::size_t>(kMostFileBytes), ExitCode::kData, bytes);
}

bool detail::FileSource::read(std::int64_t sample, std::string& bytes) const {
  read_image_file(path(sample), bytes);
  return true;
}

std::string detail::FileSource::describe(std::int64_t sample) const {
  return shown(path(sample));
}

std::string detail::lower_extension(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == name.npos ? "" : ascii_lower(std::string(name.substr(dot)));
}

bool detail::has_image_name(std::string_view name) {
  static constexpr auto kExtensions = std::to_array<std::string_view>(
      {".jpg",
       ".jpeg",
       ".jfif",
       ".png",
       ".webp",
       ".avif",
       ".tif",
       ".tiff",
       ".bmp",
       ".ppm",
       ".pgm",
       ".pbm",
       ".gif",
       ".vjc"}); // packed JPEG
  return std::ranges::find(kExtensions, lower_extension(name)) !=
      kExtensions.end();
}

bool detail::is_hidden(std::string_view path) {
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.starts_with('.') || part == "__MACOSX") {
      return true;
    }
    if (slash == path.npos) {
      return false;
    }
    path.remove_prefix(slash + 1);
  }
}

std::vector<std::string> detail::numbered_classes(std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) {
    names.push_back(std::to_string(i));
  }
  return names;
}

void detail::check_has_path(const SourceOptions& options, const char* what) {
  VITRAIN_CHECK_DATA(
      !options.path.empty(), "the dataset has no path; give {}", what);
}

void detail::check_not_splits(
    std::string_view path,
    const std::vector<std::string>& classes) {
  static constexpr auto kSplits = std::to_array<std::string_view>(
      {"train", "training", "val", "valid", "validation", "eval", "test"});
  const bool all = std::ranges::all_of(classes, [](const auto& name) {
    return std::ranges::find(kSplits, name) != kSplits.end();
  });
  VITRAIN_CHECK_DATA(
      !all || classes.size() < 2,
      "{}: its sub-folders ({}) look like parts of a dataset, not like "
      "classes; give one of them as the path",
      printable(path),
      printable(join(classes, ", ")));
}

bool Source::read(std::int64_t /*sample*/, std::string& /*bytes*/) const {
  return false;
}

image::Image Source::load(std::int64_t sample) const {
  // Kept by each thread: a buffer of its own for every image would be zeroed
  // and returned to the system each time.
  thread_local std::string bytes;
  VITRAIN_CHECK(
      read(sample, bytes),
      ExitCode::kInternal,
      "{}: a source has files or pixels",
      describe(sample));
  try {
    return image::decode(image::bytes_of(bytes));
  } catch (const Error& error) {
    fail(error.code(), "{}: {}", describe(sample), error.what());
  }
}

std::vector<image::Image> Source::load_channels(
    std::int64_t sample,
    int channels) const {
  fail_data(
      "{}: has colours or grey, and {} channels are wanted",
      describe(sample),
      channels);
}

Index list(const SourceOptions& options) {
  try {
    return functions_of(options.kind).list(options);
  } catch (const Error& error) {
    fail(error.code(), "{}{}", error.what(), about_missing(options.path));
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
        "same classes",
        i,
        name(left),
        a.size(),
        printable(train.options().path),
        name(right),
        b.size(),
        printable(eval.options().path));
  }
}

} // namespace vitrain::data
