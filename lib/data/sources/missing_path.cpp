#include "data/sources/missing_path.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "core/system/missing_path.h"
#include "core/text.h"
#include "data/sources/image_names.h"

namespace vitrain::data {
namespace {

namespace fs = std::filesystem;

// Maximum number of entries of a folder to examine.
constexpr std::size_t kMostNames = 10000;

// Returns the path under another common name of evaluation data, or an empty
// path.
fs::path other_name(const fs::path& path) {
  if (path.filename() == "val_list.txt") {
    return path.parent_path() / "val.csv";
  }
  return path.stem() == "val"
      ? path.parent_path() / ("test" + path.extension().native())
      : fs::path();
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

// Returns advice for missing evaluation data, or "".
std::string advise_on_evaluation(const fs::path& path) {
  const fs::path other = other_name(path);
  if (other.empty()) {
    return "";
  }
  if (is_there(other)) {
    return fmt::format(
        "; {} is there: set it as the path", printable(other.native()));
  }
  const bool has_training = is_there(
      path.parent_path() /
      (path.filename() == "val_list.txt"
           ? "train_list.txt"
           : "train" + path.extension().native()));
  return fmt::format(
      "; {} is not there, either{}",
      printable(other.native()),
      has_training ? ": set data.split=0.1 to hold out and evaluate a tenth of "
                     "the training data"
                   : "");
}

// Images and sub-folders of a folder, not recursive.
struct Contents {
  std::int64_t images = 0;
  std::vector<std::string> folders; // sub-folders that contain an image; sorted
};

bool has_image(const fs::path& folder) {
  std::error_code error;
  std::size_t looked_at = 0;
  for (fs::directory_iterator entry(folder, error), end;
       !error && entry != end && ++looked_at < kMostNames;
       entry.increment(error)) {
    if (detail::has_image_name(entry->path().native())) {
      return true;
    }
  }
  return false;
}

Contents contents_of(const fs::path& folder) {
  Contents contents;
  std::error_code error;
  std::size_t looked_at = 0;
  for (fs::directory_iterator entry(folder, error), end;
       !error && entry != end && ++looked_at < kMostNames;
       entry.increment(error)) {
    const std::string name = entry->path().filename().native();
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      if (!detail::is_hidden(name) && has_image(entry->path())) {
        contents.folders.push_back(printable(name));
      }
    } else if (detail::has_image_name(name)) {
      ++contents.images;
    }
  }
  std::ranges::sort(contents.folders);
  return contents;
}

// Returns advice if the folder contains training data for another kind of
// source; else "".
std::string advise_on_kind(const fs::path& folder) {
  struct Name {
    const char* name;
    const char* kind;
  };
  static constexpr auto kNames = std::to_array<Name>(
      {{"train_list.txt", "list"},
       {"train.csv", "list"},
       {"train.tar", "tar"},
       {"train", "folder"},
       {"cifar-10-batches-bin", "cifar"},
       {"data_batch_1.bin", "cifar"}});
  const auto found = std::ranges::find_if(
      kNames, [&](const Name& one) { return is_there(folder / one.name); });
  return found == kNames.end()
      ? ""
      : fmt::format(
            "; {} is there: -dataset {} reads it",
            printable(normalised(folder / found->name).native()),
            found->kind);
}

// Returns advice for missing training data, based on the content of their
// folder; else "".
std::string advise_on_training(const fs::path& path) {
  constexpr std::size_t kMostShown = 3;
  const fs::path folder = path.parent_path();
  if (path.stem() != "train" && path.filename() != "train_list.txt") {
    return "";
  }
  if (std::string advice = advise_on_kind(folder);
      !advice.empty() || path.filename() != "train") {
    return advice;
  }
  const std::string name = printable(normalised(folder).native());
  Contents contents = contents_of(folder);
  if (contents.folders.empty()) {
    return contents.images == 0
        ? ""
        : fmt::format(
              "; {} has {} directly in it and no class folders: put those of "
              "each class into a folder {}/CLASS, or write their labels into "
              "{}/train_list.txt (-dataset list)",
              name,
              counted(contents.images, "image"),
              printable(normalised(path).native()),
              name);
  }
  const bool more = contents.folders.size() > kMostShown;
  contents.folders.resize(std::min(contents.folders.size(), kMostShown));
  return fmt::format(
      "; {} has folders of images itself ({}{}): if these are the classes, set "
      "data.split=0.1 to train on them and evaluate a tenth",
      name,
      join(contents.folders, ", "),
      more ? ", ..." : "");
}

// Returns advice for a path below a file, as if that were a folder of data;
// else "".
std::string advise_on_file(const fs::path& path) {
  std::error_code error;
  fs::path above = path.parent_path();
  while (above.has_relative_path() && !fs::exists(above, error)) {
    above = above.parent_path();
  }
  if (!fs::is_regular_file(above, error)) {
    return "";
  }
  const std::string name = printable(normalised(above).native());
  return fmt::format(
      "; {} is a file, and a folder is expected there{}",
      name,
      is_tar_name(name)
          ? fmt::format(
                ": set data.train.kind=tar and data.train.path={}, and those "
                "of data.eval",
                name)
          : "");
}

} // namespace

std::string describe_place(const fs::path& path) {
  std::error_code error;
  return path.is_absolute()
      ? ""
      : fmt::format(
            "\nPaths of data are relative to the working "
            "directory: this one is {}",
            printable(normalised(fs::absolute(path, error)).native()));
}

std::string advise_on_missing(const fs::path& path) {
  // Patterns are not file names.
  if (path.native().find_first_of("*?[{") != std::string::npos) {
    return "";
  }
  if (std::string advice = advise_on_file(path); !advice.empty()) {
    return advice;
  }
  const auto part = find_missing_part(path);
  if (!part) {
    return "";
  }
  std::string text = describe_missing_part(path);
  std::error_code error;
  if (part->missing == normalised(fs::absolute(path, error))) {
    text += advise_on_evaluation(path);
    text += advise_on_training(path);
  }
  return text + describe_place(path);
}

} // namespace vitrain::data
