#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/check.h"
#include "core/files.h"
#include "core/text.h"
#include "data/sources/class_names.h"
#include "data/sources/image_tree.h"
#include "data/sources/sources.h"

namespace vitrain::data::detail {
namespace {

namespace fs = std::filesystem;

// What the listing passed over, for the notes.
struct Skipped {
  std::int64_t hidden = 0;
  std::int64_t special = 0; // FIFOs, devices, sockets
  std::int64_t dangling = 0; // links to nothing, or to themselves
  std::int64_t repeated = 0; // folders reached a second time through links
  std::int64_t outside = 0; // files beside the class folders
  std::int64_t others = 0; // files of other kinds
  std::map<std::string, std::int64_t> extensions;
};

enum class EntryKind { kFolder, kFile, kNone };

// Entries that tools leave behind: dot files (.DS_Store, .ipynb_checkpoints),
// AppleDouble twins (._x.jpg) and the folder that holds them in zip archives.
bool is_hidden(std::string_view name) {
  return name.front() == '.' || name == "__MACOSX";
}

void count_other_file(std::string_view name, Skipped& skipped) {
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

// The kind of what cannot be told from its folder: a link, or anything on file
// systems that keep no kinds there. Counts what is passed over.
EntryKind
look_up(int folder, const fs::path& path, const char* name, Skipped& skipped) {
  struct stat status {};
  if (::fstatat(folder, name, &status, 0) != 0) {
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) {
      ++skipped.dangling;
    } else {
      fail(ExitCode::kData, "{}: {}", shown(path / name), error_text(errno));
    }
    return EntryKind::kNone;
  }
  if (S_ISDIR(status.st_mode)) {
    return EntryKind::kFolder;
  }
  if (S_ISREG(status.st_mode)) {
    return EntryKind::kFile;
  }
  ++skipped.special;
  return EntryKind::kNone;
}

// The kind of an entry, from the folder's own record where that has it, so that
// a million files cost no stat each.
EntryKind kind_of(
    int folder,
    const fs::path& path,
    const ::dirent& entry,
    Skipped& skipped) {
  if (is_hidden(entry.d_name)) {
    ++skipped.hidden;
    return EntryKind::kNone;
  }
  switch (entry.d_type) {
    case DT_DIR:
      return EntryKind::kFolder;
    case DT_REG:
      return EntryKind::kFile;
    case DT_LNK:
    case DT_UNKNOWN:
      return look_up(folder, path, entry.d_name, skipped);
    default:
      ++skipped.special;
      return EntryKind::kNone;
  }
}

// Calls visit(kind, name) for every entry that is a file or a folder. Throws
// Error(kData) with the path and the reason when the folder cannot be read.
template <typename Visit>
void for_each_entry(const fs::path& path, Skipped& skipped, Visit visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(
      ::opendir(path.c_str()), ::closedir);
  const auto check = [&](bool good) {
    VITRAIN_CHECK(
        good,
        ExitCode::kData,
        "{}: cannot read the folder: {}",
        shown(path),
        error_text(errno));
  };
  check(folder != nullptr);
  errno = 0;
  while (const ::dirent* entry = ::readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      const EntryKind kind =
          kind_of(::dirfd(folder.get()), path, *entry, skipped);
      if (kind != EntryKind::kNone) {
        visit(kind, name);
      }
    }
    errno = 0;
  }
  check(errno == 0);
}

// Puts the images below one sub-folder of the dataset into a tree, whatever
// their depth.
class Walker {
 public:
  Walker(fs::path root, ImageTree& tree, Skipped& skipped)
      : root_(std::move(root)), tree_(tree), skipped_(skipped) {}

  // `folder` is relative to the root.
  void walk(const std::string& folder) {
    const fs::path path = root_ / folder;
    struct stat status {};
    VITRAIN_CHECK(
        ::stat(path.c_str(), &status) == 0,
        ExitCode::kData,
        "{}: cannot read the folder: {}",
        shown(path),
        error_text(errno));
    // Links may lead back: every folder is listed once a class.
    if (!seen_.emplace(status.st_dev, status.st_ino).second) {
      ++skipped_.repeated;
      return;
    }
    std::vector<std::string> folders;
    std::string image = folder + "/";
    for_each_entry(path, skipped_, [&](EntryKind kind, std::string_view name) {
      if (kind == EntryKind::kFolder) {
        folders.emplace_back(name);
      } else if (has_image_name(name)) {
        image.resize(folder.size() + 1);
        image += name;
        tree_.add(image);
      } else {
        count_other_file(name, skipped_);
      }
    });
    // In order, so that of two ways to a folder the same one counts always.
    std::ranges::sort(folders);
    for (const std::string& name : folders) {
      std::string inner = folder;
      inner += '/';
      inner += name;
      walk(inner);
    }
  }

 private:
  fs::path root_;
  ImageTree& tree_;
  Skipped& skipped_;
  std::set<std::pair<dev_t, ino_t>> seen_;
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
      "images per class (kind tar reads archives)",
      shown(root));
}

// The sub-folders of the dataset, in byte order.
std::vector<std::string> list_folders(const fs::path& root, Skipped& skipped) {
  std::vector<std::string> names;
  std::int64_t images = 0;
  for_each_entry(root, skipped, [&](EntryKind kind, std::string_view name) {
    if (kind == EntryKind::kFolder) {
      names.emplace_back(name);
    } else {
      ++skipped.outside;
      images += has_image_name(name) ? 1 : 0;
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
  std::ranges::sort(names);
  check_not_splits(root.native(), names);
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

// torchvision makes every sub-folder a class, and so do we; one without images
// would be a class that cannot be learned, and without it the others would have
// other numbers.
void check_not_empty(
    const fs::path& root,
    const std::vector<std::string>& folders,
    const std::vector<std::string>& classes) {
  const auto empty = std::ranges::find_if(folders, [&](const auto& folder) {
    return !std::ranges::binary_search(classes, folder);
  });
  if (empty != folders.end()) {
    fail(
        ExitCode::kData,
        "{}: the class folder has no images ({}); remove it, or put images "
        "into "
        "it (removing it renumbers the classes after it)",
        shown(root / *empty),
        kImageNames);
  }
}

} // namespace

Index list_folder(const SourceOptions& options) {
  const fs::path root = options.path;
  check_is_folder(root);
  const std::vector<std::string> class_map = read_class_map(options);
  Skipped skipped;
  ImageTree tree;
  const std::vector<std::string> folders = list_folders(root, skipped);
  for (const std::string& folder : folders) {
    Walker(root, tree, skipped).walk(folder);
  }
  Index::Contents contents;
  contents.options = options;
  contents.notes = notes_of(skipped);
  const bool every_folder =
      class_map.empty() && options.class_order == ClassOrder::kTorchvision;
  if (tree.size() == 0 && every_folder) {
    check_not_empty(root, folders, {});
  }
  std::move(tree).fill(options.class_order, class_map, contents);
  if (every_folder) {
    check_not_empty(root, folders, contents.classes);
  }
  return Index(std::move(contents));
}

std::unique_ptr<Source> open_folder(std::shared_ptr<const Index> index) {
  fs::path root = index->options().path;
  return std::make_unique<FileSource>(std::move(index), std::move(root));
}

} // namespace vitrain::data::detail
