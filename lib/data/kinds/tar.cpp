#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/ascii.h"
#include "core/check.h"
#include "core/text.h"
#include "data/kinds/image_tree.h"
#include "data/kinds/kinds.h"
#include "data/kinds/tar_files.h"
#include "data/kinds/webdataset.h"
#include "data/sources/class_names.h"
#include "data/sources/image_names.h"

// Images in tar archives, read in place: a folder of images packed by tar,
// ImageNet's archive of one archive per class, and WebDataset's shards. The
// index stores the location of every image.
namespace vitrain::data::detail {
namespace {

// Maximum number of archives that are kept open. For datasets with more
// archives, every read opens its archive.
constexpr std::size_t kMostOpen = 256;

std::string class_folder(std::string_view archive) {
  return std::string(archive.substr(0, archive.size() - 4)); // ".tar"
}

// Lists archives whose classes are folders, or archives inside an archive.
class TreeLister {
 public:
  explicit TreeLister(const TarPath& tars) : inside_(tars.inside) {
    inside_ += inside_.empty() ? "" : "/";
  }

  void list(const TarFile& tar, const std::string& name, std::uint32_t file) {
    list_members(
        TarReader(name, tar.reader(), 0, tar.size()), tar, name, file, "");
  }

  void fill(const SourceOptions& options, Index::Contents& contents) && {
    if (inside_.empty()) {
      tree_.strip_common_folders();
    }
    add_note(
        contents.notes,
        "skipped .cls members, which label images only beside them and with "
        "the same name up to the first dot",
        labels_);
    std::move(tree_).fill(
        options.class_order, read_class_map(options), contents);
    check_not_splits(options.path, contents.classes);
    add_note(contents.notes, "skipped hidden entries", hidden_);
    add_note(contents.notes, "skipped files that are no images", others_);
    add_note(
        contents.notes,
        "skipped images outside the folder that the path names",
        elsewhere_);
  }
  const TarReader::Skipped& skipped() const { return skipped_; }

 private:
  // Adds the images of an archive. `folder` is prepended to the members' names;
  // for an archive inside an archive it is the class.
  void list_members(
      TarReader reader,
      const TarFile& tar,
      const std::string& name,
      std::uint32_t file,
      const std::string& folder) {
    TarMember member;
    while (reader.next(member)) {
      if (is_hidden(member.name)) {
        ++hidden_;
      } else if (is_tar_name(member.name) && folder.empty()) {
        const std::string inner = name + ": " + printable(member.name);
        list_members(
            TarReader(
                inner,
                tar.reader(),
                member.offset,
                member.offset + member.size),
            tar,
            inner,
            file,
            class_folder(member.name) + "/");
      } else if (has_image_name(member.name)) {
        add(member, name, file, folder);
      } else {
        ++(lower_extension(member.name) == ".cls" ? labels_ : others_);
      }
    }
    skipped_ += reader.skipped();
  }

  void add(
      const TarMember& member,
      const std::string& name,
      std::uint32_t file,
      const std::string& folder) {
    const Index::Place place = place_of(member, file, name);
    const std::string path = folder + member.name;
    if (path.starts_with(inside_)) {
      tree_.add(std::string_view(path).substr(inside_.size()), place);
    } else {
      ++elsewhere_;
    }
  }

  std::string inside_;
  ImageTree tree_;
  TarReader::Skipped skipped_;
  std::int64_t hidden_ = 0;
  std::int64_t labels_ = 0; // .cls members, as in WebDataset
  std::int64_t others_ = 0;
  std::int64_t elsewhere_ = 0;
};

// Returns true if the sample of the archive's first image has a .cls member.
bool is_webdataset(const TarFile& tar, const std::string& name) {
  TarReader reader(name, tar.reader(), 0, tar.size());
  TarMember member;
  std::string key;
  std::int64_t archive = 0;
  bool image = false;
  bool label = false;
  while (reader.next(member)) {
    const auto [next_key, extension] = WebDataset::parts_of(member.name);
    if (next_key != key || member.archive != archive) {
      if (image) {
        break;
      }
      key = next_key;
      archive = member.archive;
      label = false;
    }
    image = image || has_image_name(member.name);
    label = label || ascii_lower(std::string(extension)) == "cls";
  }
  return image && label;
}

TarReader::Skipped list_webdataset(
    const SourceOptions& options,
    const TarPath& tars,
    Index::Contents& contents) {
  VITRAIN_CHECK_DATA(
      tars.inside.empty(),
      "{}: shards of WebDataset have no folders to choose from",
      shown(options.path));
  WebDataset samples(options);
  TarReader::Skipped skipped;
  for (std::size_t i = 0; i < tars.files.size(); ++i) {
    const TarFile tar(tars.files[i]);
    const std::string name = shown(tars.files[i]);
    TarReader reader(name, tar.reader(), 0, tar.size());
    TarMember member;
    while (reader.next(member)) {
      samples.add(reader, member, static_cast<std::uint32_t>(i), name);
    }
    samples.end_sample();
    skipped += reader.skipped();
  }
  std::move(samples).fill(contents);
  return skipped;
}

TarReader::Skipped list_tree(
    const SourceOptions& options,
    const TarPath& tars,
    Index::Contents& contents) {
  TreeLister lister(tars);
  for (std::size_t i = 0; i < tars.files.size(); ++i) {
    lister.list(
        TarFile(tars.files[i]),
        shown(tars.files[i]),
        static_cast<std::uint32_t>(i));
  }
  const TarReader::Skipped skipped = lister.skipped();
  std::move(lister).fill(options, contents);
  return skipped;
}

class TarSource final : public Source {
 public:
  explicit TarSource(std::shared_ptr<const Index> shared)
      : Source(std::move(shared)) {
    const std::int64_t files = index().names_count() - size();
    if (files <= static_cast<std::int64_t>(kMostOpen)) {
      for (std::uint32_t file = 0; file < files; ++file) {
        files_.push_back(std::make_unique<const TarFile>(path(file)));
      }
    }
  }

  bool read(std::int64_t sample, std::string& bytes) const override {
    const Index::Place place = index().place(sample);
    if (files_.empty()) {
      TarFile(path(place.file)).read(place.offset, place.size, bytes);
    } else {
      files_[place.file]->read(place.offset, place.size, bytes);
    }
    return true;
  }

  std::string describe(std::int64_t sample) const override {
    return fmt::format(
        "{}: {}",
        shown(path(index().place(sample).file)),
        printable(index().name(sample)));
  }

 private:
  std::string path(std::uint32_t file) const {
    return index().name(size() + file);
  }

  std::vector<std::unique_ptr<const TarFile>> files_;
};

} // namespace

Index list_tar(const SourceOptions& options) {
  check_has_path(
      options,
      "a tar file, a folder of them, or a pattern such as "
      "train-{000..146}.tar");
  const TarPath tars = find_tars(options.path);
  Index::Contents contents;
  contents.options = options;
  const bool shards = !options.label.empty() ||
      (tars.inside.empty() &&
       is_webdataset(TarFile(tars.files.front()), shown(tars.files.front())));
  const TarReader::Skipped skipped = shards
      ? list_webdataset(options, tars, contents)
      : list_tree(options, tars, contents);
  VITRAIN_CHECK_DATA(
      contents.samples > 0,
      "{}: no image ({}) is in it",
      shown(options.path),
      kImageNames);
  skipped.add_to(contents.notes);
  for (const std::string& file : tars.files) {
    contents.add_name(file);
  }
  return Index(std::move(contents));
}

std::unique_ptr<Source> open_tar(std::shared_ptr<const Index> index) {
  return std::make_unique<TarSource>(std::move(index));
}

} // namespace vitrain::data::detail
