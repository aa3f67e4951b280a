#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"
#include "data/kinds/image_tree.h"
#include "data/kinds/kinds.h"
#include "data/sources/class_names.h"

namespace vitrain::data::detail {
namespace {

namespace fs = std::filesystem;

// Counts of skipped entries, for the notes.
struct Skipped {
  std::int64_t hidden = 0;
  std::int64_t special = 0; // FIFOs, devices, sockets
  std::int64_t dangling = 0; // dangling or circular links
  std::int64_t repeated = 0; // folders reached a second time through links
  std::int64_t outside = 0; // files next to the class folders
  std::int64_t others = 0; // files that are no images
  std::map<std::string, std::int64_t> extensions;
};

enum class EntryKind { kFolder, kFile, kNone };

void count_other_file(std::string_view name, Skipped& skipped) {
  ++skipped.others;
  std::string extension = lower_extension(name);
  if (extension.empty()) {
    extension = "no extension";
  }
  // Limits the number of extensions, so that hostile names cannot make the
  // report arbitrarily long.
  if (skipped.extensions.size() >= 8 &&
      skipped.extensions.count(extension) == 0) {
    extension = "others";
  }
  ++skipped.extensions[extension];
}

// Returns the kind of a directory entry, following links; counts skipped
// entries. Calls stat() only if the entry does not contain its type, since a
// million stat() calls would be slow.
EntryKind
kind_of(const fs::path& folder, const dirent& record, Skipped& skipped) {
  if (is_hidden(record.d_name)) {
    ++skipped.hidden;
    return EntryKind::kNone;
  }
  if (record.d_type == DT_REG || record.d_type == DT_DIR) {
    return record.d_type == DT_REG ? EntryKind::kFile : EntryKind::kFolder;
  }
  const fs::path path = folder / record.d_name;
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::regular || type == fs::file_type::directory) {
    return type == fs::file_type::regular ? EntryKind::kFile
                                          : EntryKind::kFolder;
  }
  const bool dangling = type == fs::file_type::not_found ||
      error == std::errc::too_many_symbolic_link_levels;
  VITRAIN_CHECK_DATA(
      !error || dangling, "{}: {}", shown(path), error.message());
  ++(dangling ? skipped.dangling : skipped.special);
  return EntryKind::kNone;
}

// Calls visit(kind, name) for every entry that is a file or a folder. Throws
// Error(kData) with the path and the reason if the folder cannot be read.
// (std::filesystem's iterator creates a path per entry, which takes twice as
// long.)
template <typename Visit>
void for_each_entry(const fs::path& path, Skipped& skipped, Visit visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(
      ::opendir(path.c_str()), ::closedir);
  errno = folder ? 0 : errno;
  while (const dirent* record = folder ? ::readdir(folder.get()) : nullptr) {
    const std::string_view name = record->d_name;
    if (name != "." && name != "..") {
      const EntryKind kind = kind_of(path, *record, skipped);
      if (kind != EntryKind::kNone) {
        visit(kind, name);
      }
    }
    errno = 0;
  }
  VITRAIN_CHECK_DATA(
      errno == 0,
      "{}: cannot read the folder: {}",
      shown(path),
      error_text(errno));
}

// Adds the images below one sub-folder of the dataset to a tree, at any depth.
class Walker {
 public:
  Walker(fs::path root, ImageTree& tree, Skipped& skipped)
      : root_(std::move(root)), tree_(tree), skipped_(skipped) {}

  // Adds the images of a folder, given relative to the root.
  void walk(const std::string& folder) {
    const fs::path path = root_ / folder;
    struct stat status {};
    VITRAIN_CHECK_DATA(
        ::stat(path.c_str(), &status) == 0,
        "{}: cannot read the folder: {}",
        shown(path),
        error_text(errno));
    // Links may form cycles: every folder is listed only once per class.
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
    // Sorted, so that always the same one of two paths to a folder is used.
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
  struct stat status {};
  VITRAIN_CHECK_DATA(
      ::stat(root.c_str(), &status) == 0,
      "{}: cannot read the dataset folder: {}",
      shown(root),
      error_text(errno));
  VITRAIN_CHECK_DATA(
      S_ISDIR(status.st_mode),
      "{}: is not a folder; a dataset is a folder with one sub-folder of "
      "images per class (kind tar reads archives)",
      shown(root));
}

// Returns the sub-folders of the dataset, in byte order. Throws Error(kData) if
// there are none, or if they are splits instead of classes.
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
  VITRAIN_CHECK_DATA(
      !names.empty() || images == 0,
      "{}: has {} images directly in it and no class folders; put the images "
      "of each class into a sub-folder of their own, or write their labels "
      "into a list (kind: list)",
      shown(root),
      with_commas(images));
  VITRAIN_CHECK_DATA(
      !names.empty(),
      "{}: has no class folders; a dataset is a folder with one sub-folder of "
      "images per class",
      shown(root));
  std::ranges::sort(names);
  check_not_splits(root.native(), names);
  return names;
}

std::vector<std::string> notes_of(const Skipped& skipped) {
  std::vector<std::string> notes;
  add_note(notes, "skipped hidden entries", skipped.hidden);
  add_note(notes, "skipped FIFOs, devices and sockets", skipped.special);
  add_note(notes, "skipped links that lead nowhere", skipped.dangling);
  add_note(
      notes,
      "skipped links to folders that are listed already",
      skipped.repeated);
  add_note(notes, "skipped files outside the class folders", skipped.outside);
  std::vector<std::string> kinds;
  for (const auto& [extension, count] : skipped.extensions) {
    kinds.push_back(fmt::format("{} ({})", printable(extension), count));
  }
  add_note(
      notes,
      fmt::format(
          "skipped files without an image's extension [{}]", join(kinds, ", ")),
      skipped.others);
  return notes;
}

// Throws Error(kData) for a sub-folder without images. As in torchvision every
// sub-folder is a class; skipping one would change the numbers of other
// classes.
void check_not_empty(
    const fs::path& root,
    const std::vector<std::string>& folders,
    const std::vector<std::string>& classes) {
  const auto empty = std::ranges::find_if(folders, [&](const auto& folder) {
    return !std::ranges::binary_search(classes, folder);
  });
  if (empty != folders.end()) {
    fail_data(
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
  check_has_path(
      options, "the folder that holds one sub-folder of images per class");
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
