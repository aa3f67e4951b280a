#include "data/pack.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <optional>
#include <thread>

#include "core/check.h"
#include "core/files.h"
#include "core/text.h"
#include "data/tar_files.h"
#include "data/tar_reader.h"
#include "data/tar_writer.h"
#include "image/decode.h"
#include "image/packed_jpeg.h"

namespace vitrain::data {
namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// One image on its way into an archive.
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
    VITRAIN_CHECK(
        source.read(sample, file),
        ExitCode::kData,
        "{}: there are pixels, not files, which nothing would be gained for",
        source.describe(sample));
    one.before = std::ssize(file);
    if (auto packed = image::pack_jpeg(bytes_of(file))) {
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

// The images [begin, begin + group.size()), on several threads.
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

// The end of a name for bytes that have none.
std::string extension_of(const std::string& bytes) {
  std::string format = image::read_header(bytes_of(bytes)).format;
  if (format == "JPEG" || format == "packed JPEG") {
    return ".jpg";
  }
  std::ranges::transform(
      format, format.begin(), [](unsigned char c) { return std::tolower(c); });
  return "." + format;
}

// The name in the folder or archive that it comes from, where it says the
// class; else class/number.
std::string
member_name(const Source& source, std::int64_t sample, const Packed& one) {
  const Index& index = source.index();
  const SourceKind kind = index.options().kind;
  const std::string in_class =
      index.classes()[static_cast<std::size_t>(index.label(sample))] + "/";
  std::string name;
  if (kind == SourceKind::kFolder || kind == SourceKind::kTar) {
    name = index.name(sample);
  }
  if (("/" + name).find("/" + in_class) == name.npos) {
    name = fmt::format("{}{:09}{}", in_class, sample, extension_of(one.bytes));
  }
  if (one.packed) {
    name += kPackedSuffix;
  }
  return name;
}

class Archives {
 public:
  explicit Archives(const PackOptions& options) : options_(options) {}

  void add(const std::string& name, const std::string& bytes) {
    if (!writer_) {
      names_.push_back(
          options_.folder /
          fmt::format("{}-{:06}.tar", options_.name, names_.size()));
      writer_.emplace(names_.back());
    }
    writer_->add(name, bytes);
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
  const std::vector<std::filesystem::path>& names() const { return names_; }

 private:
  const PackOptions& options_;
  std::optional<TarWriter> writer_;
  std::vector<std::filesystem::path> names_;
};

} // namespace

PackReport pack(const Source& source, const PackOptions& options) {
  std::filesystem::create_directories(options.folder);
  PackReport report;
  Archives archives(options);
  // Enough for every thread to be busy most of the time.
  const std::int64_t most = std::int64_t{16} * options.threads;
  std::vector<Packed> group;
  for (std::int64_t begin = 0; begin < source.size(); begin += most) {
    group.resize(
        static_cast<std::size_t>(std::min(most, source.size() - begin)));
    pack_group(source, begin, options.threads, group);
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Packed& one = group[i];
      VITRAIN_CHECK(one.error.empty(), ExitCode::kData, "{}", one.error);
      archives.add(
          member_name(source, begin + static_cast<std::int64_t>(i), one),
          one.bytes);
      ++report.images;
      report.packed += one.packed ? 1 : 0;
      report.bytes_before += one.before;
      report.bytes_after += std::ssize(one.bytes);
    }
    if (options.progress) {
      options.progress(report.images, source.size());
    }
  }
  archives.finish();
  report.archives = archives.names();
  return report;
}

std::int64_t unpack(
    const std::filesystem::path& archive,
    const std::filesystem::path& folder) {
  const TarFile file(archive.native());
  TarReader reader(printable(archive.native()), file.reader(), 0, file.size());
  std::int64_t files = 0;
  TarMember member;
  std::string bytes;
  while (reader.next(member)) {
    file.read(member.offset, member.size, bytes);
    std::string name = member.name;
    if (name.ends_with(kPackedSuffix)) {
      name.resize(name.size() - kPackedSuffix.size());
      try {
        bytes = image::unpack_jpeg(bytes_of(bytes));
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
    std::filesystem::create_directories(path.parent_path());
    write_file_atomically(path, bytes);
    ++files;
  }
  return files;
}

} // namespace vitrain::data
