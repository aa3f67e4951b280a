#include "data/image_inputs.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/system/files.h"
#include "core/system/missing_path.h"
#include "core/text.h"
#include "data/kinds/kinds.h"
#include "data/kinds/list_columns.h"
#include "data/kinds/tar_files.h"
#include "data/sources/image_names.h"
#include "data/sources/label_lists.h"

namespace vitrain::data {
namespace {

namespace fs = std::filesystem;

constexpr const char* kListUse = "a list is a text file of names of images";

// Location of an image's bytes.
struct Whereabouts {
  static constexpr std::int32_t kNone = -1;
  // Archive that contains it, at `place`; kNone: an image file.
  std::int32_t archive = kNone;
  // Index of the reason why the image cannot be read.
  std::int32_t problem = kNone;
  Index::Place place;
};

// Images and archives found for the names.
struct Found {
  Index::Contents contents; // holds the images' names
  std::vector<Whereabouts> images;
  std::vector<std::unique_ptr<const TarFile>> archives;
  std::vector<std::string> problems;

  void add(const std::string& name, const Whereabouts& where = {}) {
    contents.add_name(name);
    images.push_back(where);
  }
  void add_problem(const std::string& name, std::string reason) {
    add(name, {.problem = static_cast<std::int32_t>(problems.size())});
    problems.push_back(std::move(reason));
  }
};

// Returns true for "x.tar" and "x-{00..12}.tar"; for paths that do not exist,
// also for a folder in an archive, "x.tar/val".
bool names_archive(const std::string& name, bool exists) {
  return is_tar_name(name) || (!exists && name.find(".tar/") != name.npos);
}

// Returns the name in a line of a list, without the label or labels after it
// ("3,17", "-"); the whole line if no image's name is before them.
std::string without_label(std::string_view line) {
  const std::size_t gap = line.find_last_of(" \t");
  if (gap != line.npos && are_label_numbers(line.substr(gap + 1))) {
    const std::string_view name = trim(line.substr(0, gap));
    if (detail::has_image_name(name)) {
      return std::string(name);
    }
  }
  return std::string(line);
}

// Returns true if a member of an archive is the wanted file or is in the wanted
// folder; "": all members are wanted.
bool is_in(std::string_view member, std::string_view wanted) {
  return wanted.empty() || member == wanted ||
      (member.starts_with(wanted) && member[wanted.size()] == '/');
}

class Lister {
 public:
  explicit Lister(ReadBytes standard_input)
      : standard_input_(std::move(standard_input)) {}

  void add(const std::string& name) {
    std::error_code error;
    if (name == "-") {
      add_lines(Lines(standard_input_, "standard input"), "");
    } else if (name.starts_with('@')) {
      add_list(name.substr(1));
    } else if (is_list(name) && fs::is_regular_file(name, error)) {
      add_list(name);
    } else {
      add_images(name);
    }
  }

  Found take() && {
    skipped_.add_to(found_.contents.notes);
    return std::move(found_);
  }

 private:
  static bool is_list(const fs::path& path) {
    return is_csv(path) || detail::lower_extension(path.native()) == ".txt";
  }

  // Adds the images of a name that is not a list.
  void add_images(const std::string& name) {
    struct stat status {};
    const bool exists = ::stat(name.c_str(), &status) == 0;
    const int reason = errno;
    if (exists && S_ISDIR(status.st_mode)) {
      add_folder(name);
    } else if (names_archive(name, exists)) {
      add_archives(name);
    } else if (exists) {
      found_.add(name);
    } else {
      found_.add_problem(name, path_error_text(name, reason));
    }
  }

  void add_list(const fs::path& path) {
    const std::string shown = printable(path.native());
    const fs::path folder = path.parent_path();
    if (!is_csv(path)) {
      add_lines(Lines(open_text(path, kListUse), shown), folder);
      return;
    }
    const auto names_in = [](const std::vector<std::string>& first) {
      return columns_named(first, kPathColumns);
    };
    const char separator =
        find_separator(path, kListUse, [&](const auto& first) {
          return !names_in(first).empty();
        });
    CsvRecords records(open_text(path, kListUse), shown, separator);
    std::vector<std::string> fields;
    bool more = records.next(fields);
    const std::vector<std::size_t> named = names_in(fields);
    const std::size_t column = named.empty() ? 0 : named.front();
    for (more = more && (named.empty() || records.next(fields)); more;
         more = records.next(fields)) {
      VITRAIN_CHECK_DATA(
          column < fields.size() && !fields[column].empty(),
          "{}:{}: has no name of an image in column {}",
          shown,
          records.number(),
          column + 1);
      add_images((folder / fields[column]).native());
    }
  }

  void add_lines(Lines lines, const fs::path& folder) {
    for (std::string line; lines.next(line);) {
      if (const std::string_view text = trim(line); !text.empty()) {
        add_images((folder / without_label(text)).native());
      }
    }
  }

  void add_folder(const fs::path& folder) {
    Entries entries;
    Seen seen;
    walk(folder, entries, seen);
    std::ranges::sort(entries);
    for (const auto& [name, problem] : entries) {
      if (problem.empty()) {
        found_.add(name);
      } else {
        found_.add_problem(name, problem);
      }
    }
    if (entries.empty()) {
      found_.add_problem(
          folder.native(),
          fmt::format("no image ({}) is in this folder", detail::kImageNames));
    }
  }

  // Paths of images (with ""), and of entries that cannot be read (with the
  // reason).
  using Entries = std::vector<std::pair<std::string, std::string>>;
  // Visited folders, since links may form cycles.
  using Seen = std::set<std::pair<dev_t, ino_t>>;

  // Collects the images of a folder and its sub-folders. Continues after an
  // unreadable folder.
  static void walk(const fs::path& folder, Entries& entries, Seen& seen) {
    struct stat status {};
    if (::stat(folder.c_str(), &status) != 0) {
      entries.emplace_back(folder.native(), error_text(errno));
      return;
    }
    if (!seen.emplace(status.st_dev, status.st_ino).second) {
      return;
    }
    std::error_code error;
    fs::directory_iterator it(folder, error);
    for (const fs::directory_iterator end; !error && it != end;
         it.increment(error)) {
      add_entry(*it, entries, seen);
    }
    if (error) {
      entries.emplace_back(folder.native(), error.message());
    }
  }

  static void
  add_entry(const fs::directory_entry& entry, Entries& entries, Seen& seen) {
    const std::string name = entry.path().filename().native();
    if (detail::is_hidden(name)) {
      return;
    }
    std::error_code error;
    const bool is_folder = entry.is_directory(error);
    const bool is_image = detail::has_image_name(name);
    if (is_folder) {
      walk(entry.path(), entries, seen);
    } else if (error && (is_image || detail::lower_extension(name).empty())) {
      std::error_code ignored;
      entries.emplace_back(
          entry.path().native(),
          (entry.is_symlink(ignored) ? "where its link leads: " : "") +
              error.message());
    } else if (is_image && entry.is_regular_file(error)) {
      entries.emplace_back(entry.path().native(), "");
    }
  }

  void add_archives(const std::string& name) {
    try {
      const TarPath tars = find_tars(name);
      // Removes a final '/', which shells append when completing: "x.tar/" and
      // "x.tar/val/".
      std::string inside = tars.inside == "." ? "" : tars.inside;
      inside.resize(inside.size() - (inside.ends_with('/') ? 1 : 0));
      for (const std::string& file : tars.files) {
        add_archive(file, inside);
      }
    } catch (const Error& error) {
      found_.add_problem(
          name, without_prefix(error.what(), printable(name) + ": "));
    }
  }

  // Adds the images of an archive; of a damaged one, those before the damage
  // and a problem. Never throws Error.
  void add_archive(const std::string& file, const std::string& inside) {
    const auto number = static_cast<std::int32_t>(found_.archives.size());
    const std::size_t before = found_.images.size();
    try {
      found_.archives.push_back(std::make_unique<const TarFile>(file));
      const TarFile& tar = *found_.archives.back();
      add_members(
          TarReader(printable(file), tar.reader(), 0, tar.size()),
          tar,
          number,
          {file + "/", inside});
      VITRAIN_CHECK_DATA(
          found_.images.size() > before,
          "no image ({}) is in it",
          detail::kImageNames);
    } catch (const Error& error) {
      found_.add_problem(
          inside.empty() ? file : file + "/" + inside,
          without_prefix(error.what(), printable(file) + ": "));
    }
  }

  // An archive, or an archive inside it as in ImageNet's.
  struct Inside {
    std::string before; // prefix of the names of its images
    std::string wanted; // the named folder or file; "": all
  };
  void add_members(
      TarReader reader,
      const TarFile& tar,
      std::int32_t number,
      const Inside& inside) {
    TarMember member;
    while (reader.next(member)) {
      if (detail::is_hidden(member.name)) {
        continue;
      }
      const std::string name = inside.before + member.name;
      const bool wanted = is_in(member.name, inside.wanted);
      if (is_tar_name(member.name)) {
        if (wanted || is_in(inside.wanted, member.name)) {
          add_members(
              TarReader(
                  printable(name),
                  tar.reader(),
                  member.offset,
                  member.offset + member.size),
              tar,
              number,
              {name + "/",
               wanted ? "" : inside.wanted.substr(member.name.size() + 1)});
        }
      } else if (wanted && detail::has_image_name(member.name)) {
        found_.add(
            name,
            {.archive = number,
             .place = place_of(
                 member, static_cast<std::uint32_t>(number), printable(name))});
      }
    }
    skipped_ += reader.skipped();
  }

  ReadBytes standard_input_;
  Found found_;
  TarReader::Skipped skipped_; // of all archives
};

class ImageInputs final : public Source {
 public:
  explicit ImageInputs(Found found)
      : Source(index_of(std::move(found.contents), found.images.size())),
        images_(std::move(found.images)),
        archives_(std::move(found.archives)),
        problems_(std::move(found.problems)) {}

  bool read(std::int64_t sample, std::string& bytes) const override {
    const Whereabouts& image = images_[static_cast<std::size_t>(sample)];
    if (image.problem != Whereabouts::kNone) {
      fail_data(
          "{}: {}",
          describe(sample),
          problems_[static_cast<std::size_t>(image.problem)]);
    }
    if (image.archive == Whereabouts::kNone) {
      detail::read_image_file(index().name(sample), bytes);
    } else {
      archives_[static_cast<std::size_t>(image.archive)]->read(
          image.place.offset, image.place.size, bytes);
    }
    return true;
  }

  std::string describe(std::int64_t sample) const override {
    return printable(index().name(sample));
  }

 private:
  static std::shared_ptr<const Index> index_of(
      Index::Contents contents,
      std::size_t samples) {
    contents.options.kind = SourceKind::kList;
    contents.classes = {"image"}; // an index needs at least one class
    contents.samples = static_cast<std::int64_t>(samples);
    return std::make_shared<const Index>(std::move(contents));
  }

  std::vector<Whereabouts> images_;
  std::vector<std::unique_ptr<const TarFile>> archives_;
  std::vector<std::string> problems_;
};

} // namespace

std::shared_ptr<const Source> image_inputs(
    std::span<const std::string> names,
    ReadBytes standard_input) {
  Lister lister(std::move(standard_input));
  for (const std::string& name : names) {
    lister.add(name);
  }
  Found found = std::move(lister).take();
  VITRAIN_CHECK_DATA(
      !found.images.empty(),
      "{}: no image is named there",
      printable(join(names, ", ")));
  return std::make_shared<const ImageInputs>(std::move(found));
}

bool is_image_name(std::string_view name) {
  return detail::has_image_name(name);
}

} // namespace vitrain::data
