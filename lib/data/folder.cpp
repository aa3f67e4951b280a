#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/check.h"
#include "core/files.h"
#include "core/text.h"
#include "data/sources.h"

namespace vitrain::data::detail {
namespace {

namespace fs = std::filesystem;

// What the listing passed over, for the notes.
struct Skipped {
  std::int64_t hidden = 0;
  std::int64_t special = 0; // FIFOs, devices, sockets
  std::int64_t dangling = 0; // links to nothing
  std::int64_t repeated = 0; // folders reached a second time through links
  std::int64_t outside = 0; // files beside the class folders
  std::int64_t others = 0; // files of other kinds
  std::map<std::string, std::int64_t> extensions;
};

enum class EntryKind { kFolder, kFile, kNone };

// Entries that tools leave behind: dot files (.DS_Store, .ipynb_checkpoints),
// AppleDouble twins (._x.jpg) and the folder that holds them in zip archives.
bool is_hidden(const std::string& name) {
  return name.front() == '.' || name == "__MACOSX";
}

std::string lower_extension(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  std::string extension =
      dot == std::string::npos ? std::string() : name.substr(dot);
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return extension;
}

// Which files are samples is their names' affair, what is in them is
// decode()'s.
bool has_image_extension(const std::string& name) {
  static constexpr std::string_view kKnown[] = {
      ".jpg", ".jpeg", ".png", ".webp", ".bmp", ".ppm", ".pgm", ".pbm", ".gif"};
  const std::string extension = lower_extension(name);
  return std::find(std::begin(kKnown), std::end(kKnown), extension) !=
      std::end(kKnown);
}

void count_other_file(const std::string& name, Skipped& skipped) {
  ++skipped.others;
  std::string extension = lower_extension(name);
  if (extension.empty()) {
    extension = "no extension";
  }
  // A folder of hostile names must not grow the report without bound.
  if (skipped.extensions.size() >= 8 &&
      skipped.extensions.count(extension) == 0) {
    extension = "others";
  }
  ++skipped.extensions[extension];
}

// The kind of an entry, from the directory's own record where that has it, so
// that a million files cost no stat each. Counts what is passed over.
EntryKind kind_of(
    const fs::directory_entry& entry,
    const std::string& name,
    Skipped& skipped) {
  if (is_hidden(name)) {
    ++skipped.hidden;
    return EntryKind::kNone;
  }
  std::error_code error;
  if (entry.is_directory(error)) {
    return EntryKind::kFolder;
  }
  if (entry.is_regular_file(error)) {
    return EntryKind::kFile;
  }
  // Neither, or a link that cannot be followed: status() tells why.
  const fs::file_type type = entry.status(error).type();
  if (type == fs::file_type::not_found) {
    ++skipped.dangling;
  } else if (error == std::errc::too_many_symbolic_link_levels) {
    ++skipped.repeated;
  } else {
    VITRAIN_CHECK(
        !error,
        ExitCode::kData,
        "{}: {}",
        shown(entry.path()),
        error.message());
    ++skipped.special;
  }
  return EntryKind::kNone;
}

// Calls visit(entry, name) for every entry. Throws Error(kData) with the path
// and the reason when the folder cannot be read.
template <typename Visit>
void for_each_entry(const fs::path& folder, Visit visit) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator();
       entries.increment(error)) {
    visit(*entries, entries->path().filename().native());
  }
  VITRAIN_CHECK(
      !error,
      ExitCode::kData,
      "{}: cannot read the folder: {}",
      shown(folder),
      error.message());
}

// Images of one class: names relative to its folder, whatever the depth.
class ClassLister {
 public:
  ClassLister(fs::path root, Skipped& skipped)
      : root_(std::move(root)), skipped_(skipped) {}

  std::vector<std::string> files() {
    list(root_, "");
    // Byte order: the same on every machine, whatever its locale.
    std::sort(files_.begin(), files_.end());
    return std::move(files_);
  }

 private:
  void list(const fs::path& folder, const std::string& prefix) {
    struct stat status {};
    VITRAIN_CHECK(
        ::stat(folder.c_str(), &status) == 0,
        ExitCode::kData,
        "{}: cannot read the folder: {}",
        shown(folder),
        error_text(errno));
    // Links may lead back: every folder is listed once a class.
    if (!seen_.emplace(status.st_dev, status.st_ino).second) {
      ++skipped_.repeated;
      return;
    }
    std::vector<std::string> folders;
    for_each_entry(folder, [&](const auto& entry, const std::string& name) {
      switch (kind_of(entry, name, skipped_)) {
        case EntryKind::kFolder:
          folders.push_back(name);
          break;
        case EntryKind::kFile:
          if (has_image_extension(name)) {
            files_.push_back(prefix + name);
          } else {
            count_other_file(name, skipped_);
          }
          break;
        case EntryKind::kNone:
          break;
      }
    });
    // In order, so that of two ways to a folder the same one counts always.
    std::sort(folders.begin(), folders.end());
    for (const std::string& name : folders) {
      list(folder / name, prefix + name + "/");
    }
  }

  fs::path root_;
  Skipped& skipped_;
  std::set<std::pair<dev_t, ino_t>> seen_;
  std::vector<std::string> files_;
};

void check_is_folder(const fs::path& root) {
  VITRAIN_CHECK(
      !root.empty(),
      ExitCode::kData,
      "the dataset has no path; give the folder that holds one sub-folder of "
      "images per class");
  struct stat status {};
  VITRAIN_CHECK(
      ::stat(root.c_str(), &status) == 0,
      ExitCode::kData,
      "{}: cannot read the dataset folder: {}",
      shown(root),
      error_text(errno));
  VITRAIN_CHECK(
      S_ISDIR(status.st_mode),
      ExitCode::kData,
      "{}: is not a folder; a dataset is a folder with one sub-folder of "
      "images per class (archives have to be unpacked)",
      shown(root));
}

// The folder above training and evaluation data would pass as a dataset of two
// classes.
void check_not_splits(
    const fs::path& root,
    const std::vector<std::string>& names) {
  static const std::set<std::string> splits = {
      "train", "training", "val", "valid", "validation", "eval", "test"};
  const bool all = std::all_of(names.begin(), names.end(), [](const auto& n) {
    return splits.count(n) != 0;
  });
  VITRAIN_CHECK(
      !all || names.size() < 2,
      ExitCode::kData,
      "{}: its sub-folders ({}) look like parts of a dataset, not like "
      "classes; give one of them as the path",
      shown(root),
      printable(join(names, ", ")));
}

std::vector<std::string> list_classes(const fs::path& root, Skipped& skipped) {
  std::vector<std::string> names;
  std::int64_t images = 0;
  for_each_entry(root, [&](const auto& entry, const std::string& name) {
    switch (kind_of(entry, name, skipped)) {
      case EntryKind::kFolder:
        names.push_back(name);
        break;
      case EntryKind::kFile:
        ++skipped.outside;
        images += has_image_extension(name) ? 1 : 0;
        break;
      case EntryKind::kNone:
        break;
    }
  });
  VITRAIN_CHECK(
      !names.empty() || images == 0,
      ExitCode::kData,
      "{}: has {} images directly in it and no class folders; put the images "
      "of each class into a sub-folder of their own",
      shown(root),
      images);
  VITRAIN_CHECK(
      !names.empty(),
      ExitCode::kData,
      "{}: has no class folders; a dataset is a folder with one sub-folder of "
      "images per class",
      shown(root));
  std::sort(names.begin(), names.end());
  check_not_splits(root, names);
  return names;
}

void note(
    std::int64_t count,
    const char* what,
    std::vector<std::string>& notes) {
  if (count > 0) {
    notes.push_back(fmt::format("skipped {}: {}", what, with_commas(count)));
  }
}

std::vector<std::string> notes_of(const Skipped& skipped) {
  std::vector<std::string> notes;
  note(skipped.hidden, "hidden entries", notes);
  note(skipped.special, "FIFOs, devices and sockets", notes);
  note(skipped.dangling, "links that lead nowhere", notes);
  note(skipped.repeated, "links to folders that are listed already", notes);
  note(skipped.outside, "files outside the class folders", notes);
  if (skipped.others > 0) {
    std::vector<std::string> kinds;
    for (const auto& [extension, count] : skipped.extensions) {
      kinds.push_back(fmt::format("{} ({})", printable(extension), count));
    }
    note(
        skipped.others,
        fmt::format(
            "files without an image's extension [{}]", join(kinds, ", "))
            .c_str(),
        notes);
  }
  return notes;
}

class FolderSource : public Source {
 public:
  using Source::Source;

  bool read(std::int64_t sample, std::string& bytes) const override {
    read_image_file(path(sample), bytes);
    return true;
  }

  std::string describe(std::int64_t sample) const override {
    return shown(path(sample));
  }

 private:
  fs::path path(std::int64_t sample) const {
    const auto label = static_cast<std::size_t>(this->label(sample));
    return fs::path(index().options().path) / classes()[label] /
        index().name(sample);
  }
};

} // namespace

Index list_folder(const SourceOptions& options) {
  const fs::path root = options.path;
  check_is_folder(root);
  Skipped skipped;
  Index::Contents contents;
  contents.options = options;
  contents.classes = list_classes(root, skipped);
  for (std::size_t c = 0; c < contents.classes.size(); ++c) {
    const fs::path folder = root / contents.classes[c];
    const auto files = ClassLister(folder, skipped).files();
    VITRAIN_CHECK(
        !files.empty(),
        ExitCode::kData,
        "{}: the class folder has no images (.jpg, .png, .webp, ...); remove "
        "it, or "
        "put images into it (removing it renumbers the classes after it)",
        shown(folder));
    for (const std::string& file : files) {
      contents.name_starts.push_back(contents.names.size());
      contents.names.append(file.c_str(), file.size() + 1);
      contents.labels.push_back(static_cast<std::int32_t>(c));
    }
  }
  contents.samples = static_cast<std::int64_t>(contents.labels.size());
  contents.notes = notes_of(skipped);
  return Index(contents);
}

std::unique_ptr<Source> open_folder(std::shared_ptr<const Index> index) {
  return std::make_unique<FolderSource>(std::move(index));
}

} // namespace vitrain::data::detail
