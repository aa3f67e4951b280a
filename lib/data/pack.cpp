#include "data/pack.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>

#include "core/ascii.h"
#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"
#include "data/kinds/image_tree.h"
#include "data/kinds/kinds.h"
#include "data/kinds/tar_files.h"
#include "data/kinds/tar_reader.h"
#include "data/kinds/tar_writer.h"
#include "data/sources/class_names.h"
#include "image/formats/decode.h"
#include "image/jpeg/packed_jpeg.h"

namespace vitrain::data {
namespace {

// Result of packing one image.
struct Packed {
  std::string bytes;
  std::int64_t before = 0;
  bool packed = false;
  std::string error;
};

Packed pack_one(const Source& source, std::int64_t sample) {
  Packed one;
  try {
    std::string file;
    source.read(sample, file);
    one.before = std::ssize(file);
    if (auto packed = image::pack_jpeg(image::bytes_of(file))) {
      one.bytes = std::move(*packed);
      one.packed = true;
    } else {
      one.bytes = std::move(file);
    }
  } catch (const std::exception& error) {
    one.error = error.what();
  }
  return one;
}

// Packs the images [begin, begin + group.size()) on several threads.
void pack_group(
    const Source& source,
    std::int64_t begin,
    int threads,
    std::vector<Packed>& group) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < group.size(); i = next++) {
      group[i] = pack_one(source, begin + static_cast<std::int64_t>(i));
    }
  };
  std::vector<std::jthread> helpers;
  for (int i = 1; i < threads; ++i) {
    helpers.emplace_back(work);
  }
  work();
}

// Returns true if `kind: tar` numbers the classes as the source does and gives
// every sample its label when members have the samples' names.
bool folders_tell_labels(const Source& source, const PackOptions& options) {
  const Index& index = source.index();
  const SourceKind kind = index.options().kind;
  if (kind != SourceKind::kFolder && kind != SourceKind::kTar) {
    return false;
  }
  ImageTree tree;
  for (std::int64_t i = 0; i < index.size(); ++i) {
    tree.add(index.name(i), {.offset = i});
  }
  tree.strip_common_folders();
  Index::Contents read;
  read.options.kind = SourceKind::kTar; // kind whose index has places
  try {
    std::move(tree).fill(
        options.class_order,
        options.class_map ? index.classes() : std::vector<std::string>(),
        read);
  } catch (const Error&) {
    return false; // no image is in a class folder
  }
  if (read.classes != index.classes() || read.samples != index.size()) {
    return false;
  }
  std::size_t i = 0;
  return std::ranges::all_of(read.labels, [&](std::int32_t label) {
    return label == index.label(read.places[i++].offset);
  });
}

// Texts of the .cls members, and whether reading them requires a list of class
// names.
struct Labels {
  std::vector<std::string> texts; // text of each class
  bool need_names = true;
};

// Returns class numbers, which mean the same without a list of names. If some
// names look like numbers and the dataset itself writes names, returns the
// names: evaluation reads labels in the form of the training data.
Labels labels_of(const Index& index) {
  const std::vector<std::string>& classes = index.classes();
  std::int64_t used = 0; // number of classes up to the largest label
  for (std::int64_t i = 0; i < index.size(); ++i) {
    used = std::max(used, index.label(i) + 1);
  }
  Labels labels;
  bool look_like_numbers = false;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    std::int64_t ignored = 0;
    look_like_numbers = look_like_numbers || parse_int(classes[c], ignored);
    labels.texts.push_back(std::to_string(c));
  }
  labels.need_names = labels.texts != classes || used < std::ssize(classes);
  if (look_like_numbers && index.label_form() != LabelForm::kNumbers) {
    labels.texts = classes;
  }
  return labels;
}

// Writes a class map. Throws Error(kData) if the names in it would be read as
// other names.
void write_class_names(
    const std::filesystem::path& path,
    const std::vector<std::string>& names) {
  check_absent(path);
  write_file_atomically(path, join(names, "\n") + "\n");
  std::string problem = "other names would be read";
  try {
    if (read_class_names(path) == names) {
      return;
    }
  } catch (const Error& error) {
    problem = error.what();
  }
  std::filesystem::remove(path);
  fail_data(
      "the names of the classes cannot stand in a file with one name per line, "
      "which the archives need: {}",
      problem);
}

// Returns the image extension of a sample's name; if it has none, the extension
// for its content, or .jpg if that is unknown.
std::string extension_of(std::string_view name, const std::string& bytes) {
  const bool was_packed = name.ends_with(detail::kPackedSuffix);
  if (was_packed) {
    name.remove_suffix(detail::kPackedSuffix.size());
  }
  std::string extension = ".jpg";
  if (detail::has_image_name(name)) {
    extension = detail::lower_extension(name);
  } else {
    const std::string content =
        "." + ascii_lower(image::describe_content(image::bytes_of(bytes)));
    if (detail::has_image_name(content)) {
      extension = content;
    }
  }
  return was_packed ? extension.append(detail::kPackedSuffix) : extension;
}

// Writes the archives of a dataset one after the other.
class Archives {
 public:
  explicit Archives(const PackOptions& options) : options_(options) {}

  void add(const std::string& name, const std::string& bytes) {
    if (!writer_) {
      names_.push_back(path(names_.size()));
      writer_.emplace(names_.back());
    }
    writer_->add(name, bytes);
  }
  // Closes the archive if it is large enough; thus all members of a sample are
  // in the same archive.
  void end_sample() {
    if (writer_->size() >= options_.shard_bytes) {
      finish();
    }
  }
  void finish() {
    if (writer_) {
      writer_->finish();
      writer_.reset();
    }
  }
  std::filesystem::path path(std::size_t number) const {
    return options_.folder / fmt::format("{}-{:06}.tar", options_.name, number);
  }
  const std::vector<std::filesystem::path>& names() const { return names_; }

 private:
  const PackOptions& options_;
  std::optional<TarWriter> writer_;
  std::vector<std::filesystem::path> names_;
};

// Packs the images of a source in groups.
class Packer {
 public:
  Packer(const Source& source, const PackOptions& options)
      : source_(source), options_(options), archives_(options) {}

  PackReport pack() {
    prepare();
    // Large enough to keep all threads busy most of the time.
    const std::int64_t most = std::int64_t{16} * options_.threads;
    std::vector<Packed> group;
    for (std::int64_t begin = 0; begin < source_.size(); begin += most) {
      group.resize(
          static_cast<std::size_t>(std::min(most, source_.size() - begin)));
      pack_group(source_, begin, options_.threads, group);
      for (std::size_t i = 0; i < group.size(); ++i) {
        add(begin + static_cast<std::int64_t>(i), group[i]);
      }
      if (options_.progress) {
        options_.progress(report_.images, source_.size());
      }
    }
    archives_.finish();
    report_.archives = archives_.names();
    return std::move(report_);
  }

 private:
  // Performs all checks that are possible before anything is written.
  void prepare() {
    std::string first;
    VITRAIN_CHECK_DATA(
        source_.read(0, first),
        "{}: there are pixels, not files, which nothing would be gained for",
        source_.describe(0));
    check_packable(source_.index());
    folders_ = folders_tell_labels(source_, options_);
    labels_ = labels_of(source_.index());
    make_folders(options_.folder);
    check_absent(archives_.path(0));
    SourceOptions& read = report_.source;
    read.kind = SourceKind::kTar;
    read.path =
        (options_.folder / fmt::format("{}-*.tar", options_.name)).native();
    read.classes = 0;
    if (folders_) {
      read.class_order = options_.class_order;
    } else {
      read.label = "cls";
    }
    if (options_.class_map || (!folders_ && labels_.need_names)) {
      const std::filesystem::path names =
          options_.folder / fmt::format("{}-classes.txt", options_.name);
      write_class_names(names, source_.classes());
      read.class_map = names.native();
    }
  }

  void add(std::int64_t sample, const Packed& one) {
    VITRAIN_CHECK_DATA(one.error.empty(), "{}", one.error);
    const Index& index = source_.index();
    const std::string suffix(one.packed ? detail::kPackedSuffix : "");
    if (folders_) {
      archives_.add(index.name(sample) + suffix, one.bytes);
    } else {
      const std::string key = fmt::format("{:09}", sample);
      archives_.add(
          key + extension_of(index.name(sample), one.bytes) + suffix,
          one.bytes);
      archives_.add(
          key + ".cls",
          labels_.texts[static_cast<std::size_t>(index.label(sample))]);
    }
    archives_.end_sample();
    ++report_.images;
    report_.packed += one.packed ? 1 : 0;
    report_.bytes_before += one.before;
    report_.bytes_after += std::ssize(one.bytes);
  }

  const Source& source_;
  const PackOptions& options_;
  Archives archives_;
  bool folders_ = false; // members are in the folders of their classes
  Labels labels_;
  PackReport report_;
};

} // namespace

void check_packable(const Index& index) {
  VITRAIN_CHECK_DATA(
      !index.has_label_sets(),
      "{}: its images have any number of labels (multi_label), and archives "
      "hold one label of each image: train on the list itself",
      printable(index.options().path));
}

PackReport pack(const Source& source, const PackOptions& options) {
  return Packer(source, options).pack();
}

UnpackReport unpack(
    const std::filesystem::path& archive,
    const std::filesystem::path& folder) {
  const TarFile file(archive.native());
  TarReader reader(printable(archive.native()), file.reader(), 0, file.size());
  UnpackReport report;
  TarMember member;
  std::string bytes;
  while (reader.next(member)) {
    file.read(member.offset, member.size, bytes);
    std::string name = member.name;
    if (name.ends_with(detail::kPackedSuffix)) {
      name.resize(name.size() - detail::kPackedSuffix.size());
      try {
        bytes = image::unpack_jpeg(image::bytes_of(bytes));
      } catch (const Error& error) {
        fail(
            error.code(),
            "{}: {}: {}",
            printable(archive.native()),
            printable(member.name),
            error.what());
      }
    }
    const std::filesystem::path path = folder / name;
    make_folders(path.parent_path());
    check_absent(path);
    write_file_atomically(path, bytes);
    ++report.files;
  }
  reader.skipped().add_to(report.notes);
  return report;
}

} // namespace vitrain::data
