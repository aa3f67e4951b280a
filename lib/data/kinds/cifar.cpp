#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"
#include "data/kinds/kinds.h"
#include "data/sources/class_names.h"
#include "data/sources/data_file.h"

// The binary versions of CIFAR-10 and CIFAR-100
// (https://www.cs.toronto.edu/~kriz/cifar.html). A record has one label byte
// (CIFAR-100: a coarse and a fine one) and 32 x 32 pixels: all red, then all
// green, then all blue bytes. A text file has the names of the classes. Files
// may have any number of records.
namespace vitrain::data::detail {
namespace {

namespace fs = std::filesystem;

constexpr int kSide = 32;
constexpr std::int64_t kPlane = std::int64_t{kSide} * kSide;

// Format of one of the two datasets, with the choice of its label.
struct Format {
  const char* name;
  const char* subfolder; // folder inside the distributed archive
  std::int64_t labels; // label bytes before the pixels of a record
  std::int64_t label; // index of the label byte to use
  std::int64_t classes; // number of classes without a file of names
  const char* names;

  std::int64_t record() const { return labels + 3 * kPlane; }
};
constexpr Format
    kCifar10{"CIFAR-10", "cifar-10-batches-bin", 1, 0, 10, "batches.meta.txt"};
constexpr Format
    kFine{"CIFAR-100", "cifar-100-binary", 2, 1, 100, "fine_label_names.txt"};
constexpr Format kCoarse{
    "CIFAR-100",
    "cifar-100-binary",
    2,
    0,
    20,
    "coarse_label_names.txt"};

// Returns true if the path exists. Throws Error(kData) if it cannot be
// examined.
bool is_there(const fs::path& path) {
  std::error_code error;
  const bool there = fs::exists(path, error);
  VITRAIN_CHECK_DATA(!error, "{}: {}", shown(path), error.message());
  return there;
}

// Returns true for the two files of CIFAR-100: one for training, one for
// evaluation.
bool is_of_cifar100(const std::string& name) {
  return name == "train.bin" || name == "test.bin";
}

bool is_of_cifar10(const std::string& name) {
  return (name.starts_with("data_batch_") && name.ends_with(".bin")) ||
      name == "test_batch.bin";
}

// Fills `bytes` completely. Throws Error(kData) that names the file.
void read_whole(
    const DataFile& file,
    std::int64_t offset,
    std::span<std::uint8_t> bytes) {
  const std::size_t got = file.read_at(
      offset, {reinterpret_cast<char*>(bytes.data()), bytes.size()});
  VITRAIN_CHECK_DATA(
      got == bytes.size(),
      "{}: ends at byte {}, in the middle of a record",
      file.name(),
      offset + static_cast<std::int64_t>(got));
}

// Returns the number of records in a file. Throws Error(kData) if its size is
// not a positive multiple of the record size.
std::int64_t count_records(const DataFile& file, const Format& format) {
  VITRAIN_CHECK_DATA(
      file.size() > 0 && file.size() % format.record() == 0,
      "{}: has {} bytes, which is not a whole number of records of {} bytes "
      "({} and 32 x 32 pixels); is the download complete?",
      file.name(),
      file.size(),
      format.record(),
      format.labels == 1 ? "a label" : "two labels");
  return file.size() / format.record();
}

// Returns the names of the data files in a folder, in byte order.
std::vector<std::string> find_files(const fs::path& folder, bool train) {
  return names_in_folder(folder, "dataset folder", [&](const auto& name) {
    return (is_of_cifar10(name) || is_of_cifar100(name)) &&
        name.starts_with("test") != train;
  });
}

// Reads the class names, one per line; without the file, returns numbers.
// Throws Error(kData) unless the file has 1 to 256 names.
std::vector<std::string> read_classes(
    const fs::path& folder,
    const Format& format) {
  const fs::path path = folder / format.names;
  if (!is_there(path)) {
    return numbered_classes(format.classes);
  }
  std::vector<std::string> classes;
  const std::string text = read_file(path, 1 << 16, ExitCode::kData);
  for (const std::string& line : split(text, '\n')) {
    if (const auto name = trim(line); !name.empty()) {
      classes.emplace_back(name.substr(0, name.find('\0')));
    }
  }
  VITRAIN_CHECK_DATA(
      !classes.empty() && classes.size() <= 256,
      "{}: has {} class names; expected one a line, 1 to 256 of them",
      shown(path),
      classes.size());
  return classes;
}

void read_labels(
    const DataFile& file,
    const Format& format,
    std::int64_t records,
    std::size_t classes,
    std::vector<std::int32_t>& labels) {
  for (std::int64_t record = 0; record < records; ++record) {
    std::uint8_t label = 0;
    read_whole(file, record * format.record() + format.label, {&label, 1});
    VITRAIN_CHECK_DATA(
        label < classes,
        "{}: record {} has label {}, but there are {} classes (0 to {}); this "
        "is not the binary version of {}",
        file.name(),
        record,
        label,
        classes,
        classes - 1,
        format.name);
    labels.push_back(label);
  }
}

class CifarSource : public Source {
 public:
  explicit CifarSource(std::shared_ptr<const Index> shared)
      : Source(std::move(shared)) {
    for (std::int64_t i = 0; i < index().names_count(); ++i) {
      files_.emplace_back(path(i));
    }
    const std::string first = fs::path(index().name(0)).filename();
    format_ = is_of_cifar100(first) ? kFine : kCifar10;
  }

  image::Image load(std::int64_t sample) const override {
    const auto [file, record] = locate(sample);
    std::array<std::uint8_t, 3 * kPlane> planes;
    read_whole(
        files_[static_cast<std::size_t>(file)],
        record * format_.record() + format_.labels,
        planes);
    image::Image image(kSide, kSide);
    for (std::size_t i = 0; i < kPlane; ++i) {
      for (std::size_t channel = 0; channel < 3; ++channel) {
        image.pixels[i * 3 + channel] = planes[channel * kPlane + i];
      }
    }
    return image;
  }

  std::string describe(std::int64_t sample) const override {
    const auto [file, record] = locate(sample);
    return fmt::format(
        "{} record {}", files_[static_cast<std::size_t>(file)].name(), record);
  }

 private:
  // Returns the index of a sample's file, and its record in that file.
  std::pair<std::int64_t, std::int64_t> locate(std::int64_t sample) const {
    const auto starts = index().file_starts();
    const auto after = std::upper_bound(starts.begin(), starts.end(), sample);
    const auto file = after - starts.begin() - 1;
    return {file, sample - starts[static_cast<std::size_t>(file)]};
  }

  fs::path path(std::int64_t file) const {
    return fs::path(index().options().path) / index().name(file);
  }

  std::vector<DataFile> files_;
  Format format_ = kCifar10; // the pixels of kFine and kCoarse are the same
};

const Format& format_of(const SourceOptions& options, const std::string& file) {
  const bool coarse = options.label == "coarse";
  VITRAIN_CHECK_DATA(
      coarse || options.label.empty() || options.label == "fine",
      "label '{}' is none that CIFAR has: expected fine or coarse",
      printable(options.label));
  if (is_of_cifar100(file)) {
    return coarse ? kCoarse : kFine;
  }
  VITRAIN_CHECK_DATA(
      options.label.empty(),
      "{}: label '{}' is for CIFAR-100, and this is CIFAR-10, which has one "
      "label: leave it out",
      shown(options.path),
      options.label);
  return kCifar10;
}

} // namespace

Index list_cifar(const SourceOptions& options) {
  check_has_path(
      options, "the folder of the binary version of CIFAR-10 or CIFAR-100");
  fs::path folder = options.path;
  std::string prefix;
  std::vector<std::string> names = find_files(folder, options.train);
  for (const Format& format : {kCifar10, kFine}) {
    if (names.empty() && is_there(folder / format.subfolder)) {
      folder /= format.subfolder;
      prefix = std::string(format.subfolder) + "/";
      names = find_files(folder, options.train);
    }
  }
  VITRAIN_CHECK_DATA(
      !names.empty(),
      "{}: no {} in it or in its sub-folder {} or {}; give the folder of the "
      "binary version of CIFAR-10 or CIFAR-100 (the Python and MATLAB versions "
      "are other formats)",
      shown(options.path),
      options.train ? "data_batch_*.bin or train.bin"
                    : "test_batch.bin or test.bin",
      kCifar10.subfolder,
      kFine.subfolder);
  VITRAIN_CHECK_DATA(
      !is_of_cifar100(names.back()) || names.size() == 1,
      "{}: has files of CIFAR-10 and of CIFAR-100; give each a folder of its "
      "own",
      shown(folder));
  const Format& format = format_of(options, names.back());
  Index::Contents contents;
  contents.options = options;
  contents.classes = read_classes(folder, format);
  for (const std::string& name : names) {
    const DataFile file(folder / name);
    const std::int64_t records = count_records(file, format);
    contents.file_starts.push_back(contents.samples);
    contents.add_name(prefix + name);
    read_labels(
        file, format, records, contents.classes.size(), contents.labels);
    contents.samples += records;
  }
  return Index(std::move(contents));
}

std::unique_ptr<Source> open_cifar(std::shared_ptr<const Index> index) {
  return std::make_unique<CifarSource>(std::move(index));
}

} // namespace vitrain::data::detail
