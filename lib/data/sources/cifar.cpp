#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "core/check.h"
#include "core/files.h"
#include "core/text.h"
#include "data/sources/sources.h"

// The binary versions of CIFAR-10 and CIFAR-100
// (https://www.cs.toronto.edu/~kriz/cifar.html): records of a label byte, or of
// a coarse and a fine one, and 32 x 32 pixels, all red, then green, then blue
// bytes; names of the classes in a text file. The number of records a file is
// free.
namespace vitrain::data::detail {
namespace {

namespace fs = std::filesystem;

constexpr int kSide = 32;
constexpr std::int64_t kPlane = std::int64_t{kSide} * kSide;

// One of the two datasets.
struct Format {
  const char* name;
  const char* subfolder; // of the archive
  std::int64_t labels; // bytes in front of the pixels
  std::int64_t label; // which of them
  std::int64_t classes; // where there is no file with their names
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

// CIFAR-100 has one file for training and one for evaluation.
bool is_of_cifar100(const std::string& name) {
  return name == "train.bin" || name == "test.bin";
}

bool is_of_cifar10(const std::string& name) {
  return (name.starts_with("data_batch_") && name.ends_with(".bin")) ||
      name == "test_batch.bin";
}

// Reads exactly `size` bytes. Throws Error(kData) naming the file.
void read_at(
    const Fd& fd,
    const fs::path& path,
    std::int64_t offset,
    void* bytes,
    std::size_t size) {
  char* next = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t got = ::pread(fd.get(), next, size, offset);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    VITRAIN_CHECK(
        got >= 0, ExitCode::kData, "{}: {}", shown(path), error_text(errno));
    VITRAIN_CHECK(
        got > 0,
        ExitCode::kData,
        "{}: ends at byte {}, in the middle of a record",
        shown(path),
        offset);
    next += got;
    offset += got;
    size -= static_cast<std::size_t>(got);
  }
}

Fd open_file(const fs::path& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  VITRAIN_CHECK(fd, ExitCode::kData, "{}: {}", shown(path), error_text(errno));
  return fd;
}

// Number of records in an open file.
std::int64_t
count_records(const Fd& fd, const fs::path& path, const Format& format) {
  struct stat status {};
  VITRAIN_CHECK(
      ::fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode),
      ExitCode::kData,
      "{}: is not a regular file",
      shown(path));
  VITRAIN_CHECK(
      status.st_size > 0 && status.st_size % format.record() == 0,
      ExitCode::kData,
      "{}: has {} bytes, which is not a whole number of records of {} bytes "
      "({} and 32 x 32 pixels); is the download complete?",
      shown(path),
      status.st_size,
      format.record(),
      format.labels == 1 ? "a label" : "two labels");
  return status.st_size / format.record();
}

bool is_wanted(const std::string& name, bool train) {
  return (is_of_cifar10(name) || is_of_cifar100(name)) &&
      name.starts_with("test") != train;
}

// Names of the data files in a folder, in byte order.
std::vector<std::string> find_files(const fs::path& folder, bool train) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator();
       entries.increment(error)) {
    std::string name = entries->path().filename().native();
    if (is_wanted(name, train)) {
      names.push_back(std::move(name));
    }
  }
  VITRAIN_CHECK(
      !error,
      ExitCode::kData,
      "{}: cannot read the dataset folder: {}",
      shown(folder),
      error.message());
  std::sort(names.begin(), names.end());
  return names;
}

// One name a line; numbers without that file.
std::vector<std::string> read_classes(
    const fs::path& folder,
    const Format& format) {
  const fs::path path = folder / format.names;
  std::vector<std::string> classes;
  if (!fs::exists(path)) {
    for (std::int64_t i = 0; i < format.classes; ++i) {
      classes.push_back(std::to_string(i));
    }
    return classes;
  }
  const std::string text = read_file(path, 1 << 16, ExitCode::kData);
  for (const std::string& line : split(text, '\n')) {
    if (const auto name = trim(line); !name.empty()) {
      classes.emplace_back(name.substr(0, name.find('\0')));
    }
  }
  VITRAIN_CHECK(
      !classes.empty() && classes.size() <= 256,
      ExitCode::kData,
      "{}: has {} class names; expected one a line, 1 to 256 of them",
      shown(path),
      classes.size());
  return classes;
}

void read_labels(
    const Fd& fd,
    const fs::path& path,
    const Format& format,
    std::int64_t records,
    std::size_t classes,
    std::vector<std::int32_t>& labels) {
  for (std::int64_t record = 0; record < records; ++record) {
    std::uint8_t label = 0;
    read_at(fd, path, record * format.record() + format.label, &label, 1);
    VITRAIN_CHECK(
        label < classes,
        ExitCode::kData,
        "{}: record {} has label {}, but there are {} classes (0 to {}); this "
        "is not the binary version of {}",
        shown(path),
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
      files_.push_back(open_file(path(i)));
    }
    const std::string first = fs::path(index().name(0)).filename();
    format_ = is_of_cifar100(first) ? kFine : kCifar10;
  }

  image::Image load(std::int64_t sample) const override {
    const auto [file, record] = locate(sample);
    std::array<std::uint8_t, 3 * kPlane> planes;
    read_at(
        files_[static_cast<std::size_t>(file)],
        path(file),
        record * format_.record() + format_.labels,
        planes.data(),
        planes.size());
    image::Image image;
    image.width = kSide;
    image.height = kSide;
    image.pixels.resize(planes.size());
    for (std::size_t i = 0; i < kPlane; ++i) {
      for (std::size_t channel = 0; channel < 3; ++channel) {
        image.pixels[i * 3 + channel] = planes[channel * kPlane + i];
      }
    }
    return image;
  }

  std::string describe(std::int64_t sample) const override {
    const auto [file, record] = locate(sample);
    return fmt::format("{} record {}", shown(path(file)), record);
  }

 private:
  // File and record of a sample.
  std::pair<std::int64_t, std::int64_t> locate(std::int64_t sample) const {
    const auto starts = index().file_starts();
    const auto after = std::upper_bound(starts.begin(), starts.end(), sample);
    const auto file = after - starts.begin() - 1;
    return {file, sample - starts[static_cast<std::size_t>(file)]};
  }

  fs::path path(std::int64_t file) const {
    return fs::path(index().options().path) / index().name(file);
  }

  std::vector<Fd> files_;
  Format format_ = kCifar10; // the pixels of kFine and kCoarse are the same
};

const Format& format_of(const SourceOptions& options, const std::string& file) {
  const bool coarse = options.label == "coarse";
  VITRAIN_CHECK(
      coarse || options.label.empty() || options.label == "fine",
      ExitCode::kData,
      "label '{}' is none that CIFAR has: expected fine or coarse",
      printable(options.label));
  if (is_of_cifar100(file)) {
    return coarse ? kCoarse : kFine;
  }
  VITRAIN_CHECK(
      options.label.empty(),
      ExitCode::kData,
      "{}: label '{}' is for CIFAR-100, and this is CIFAR-10, which has one "
      "label: leave it out",
      shown(options.path),
      options.label);
  return kCifar10;
}

} // namespace

Index list_cifar(const SourceOptions& options) {
  VITRAIN_CHECK(
      !options.path.empty(),
      ExitCode::kData,
      "the dataset has no path; give the folder of the binary version of "
      "CIFAR-10 or CIFAR-100");
  fs::path folder = options.path;
  std::string prefix;
  std::vector<std::string> names = find_files(folder, options.train);
  for (const Format& format : {kCifar10, kFine}) {
    if (names.empty() && fs::is_directory(folder / format.subfolder)) {
      folder /= format.subfolder;
      prefix = std::string(format.subfolder) + "/";
      names = find_files(folder, options.train);
    }
  }
  VITRAIN_CHECK(
      !names.empty(),
      ExitCode::kData,
      "{}: no {} in it or in its sub-folder {} or {}; give the folder of the "
      "binary version of CIFAR-10 or CIFAR-100 (the Python and MATLAB versions "
      "are other formats)",
      shown(options.path),
      options.train ? "data_batch_*.bin or train.bin"
                    : "test_batch.bin or test.bin",
      kCifar10.subfolder,
      kFine.subfolder);
  VITRAIN_CHECK(
      !is_of_cifar100(names.back()) || names.size() == 1,
      ExitCode::kData,
      "{}: has files of CIFAR-10 and of CIFAR-100; give each a folder of its "
      "own",
      shown(folder));
  const Format& format = format_of(options, names.back());
  Index::Contents contents;
  contents.options = options;
  contents.classes = read_classes(folder, format);
  for (const std::string& name : names) {
    const fs::path path = folder / name;
    const Fd fd = open_file(path);
    const std::int64_t records = count_records(fd, path, format);
    contents.file_starts.push_back(contents.samples);
    contents.name_starts.push_back(contents.names.size());
    contents.names.append(prefix + name).push_back('\0');
    read_labels(
        fd, path, format, records, contents.classes.size(), contents.labels);
    contents.samples += records;
  }
  return Index(std::move(contents));
}

std::unique_ptr<Source> open_cifar(std::shared_ptr<const Index> index) {
  return std::make_unique<CifarSource>(std::move(index));
}

} // namespace vitrain::data::detail
