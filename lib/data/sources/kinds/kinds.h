#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/random.h"
#include "core/source_kind.h"
#include "core/text/text.h"
#include "data/sources/source.h"

// The kinds of sources, one file each, for list() and open() only.
namespace vitrain::data::detail {

// A path for messages.
inline std::string shown(const std::filesystem::path& path) {
  return printable(path.native());
}

// Reads an image file as Source::read() does. Throws Error(kData) that names
// it.
void read_image_file(const std::filesystem::path& file, std::string& bytes);

// Image files, which the index names relative to a folder.
class FileSource final : public Source {
 public:
  FileSource(std::shared_ptr<const Index> index, std::filesystem::path folder)
      : Source(std::move(index)), folder_(std::move(folder)) {}

  bool read(std::int64_t sample, std::string& bytes) const override;
  std::string describe(std::int64_t sample) const override;

 private:
  std::filesystem::path path(std::int64_t sample) const {
    return folder_ / index().name(sample);
  }

  std::filesystem::path folder_;
};

// Limit of an image file's size; photographs have a few MiB.
constexpr std::int64_t kMostFileBytes = std::int64_t{256} << 20;

// Returns true if a file name has the extension of a supported image format;
// and examples of such extensions for messages.
bool has_image_name(std::string_view name);
std::span<const std::string_view> image_extensions(); // ".jpg", ...
inline constexpr const char* kImageNames = ".jpg, .png, .webp, ...";
// Returns ".jpg" for "x.JPG"; "" for a name without a dot.
std::string lower_extension(std::string_view name);

// Returns true for files left by tools: a part of the path is a dot file
// (.DS_Store, .ipynb_checkpoints), an AppleDouble file (._x.jpg) or the folder
// of these in archives.
bool is_hidden(std::string_view path);

// Returns "0", "1", ..., the names of unnamed classes.
std::vector<std::string> numbered_classes(std::int64_t count);

// The numbers of a generated dataset for one purpose.
inline Random generated(
    const SourceOptions& options,
    Purpose purpose,
    std::int64_t a,
    std::int64_t b) {
  return {
      static_cast<std::uint64_t>(options.seed),
      purpose,
      static_cast<std::uint64_t>(a),
      static_cast<std::uint64_t>(b)};
}

// Throws Error(kData) for a dataset without a path, with what to give as one.
void check_has_path(const SourceOptions& options, const char* what);

// Throws Error(kData) when the classes are called train, val and the like: what
// holds training and evaluation data would pass as a dataset of two classes.
void check_not_splits(
    std::string_view path,
    const std::vector<std::string>& classes);

// Functions of each kind. list_NAME() finds the samples, once per node;
// open_NAME() opens them in every worker.
#define VITRAIN_SOURCE(enumerator, name)           \
  Index list_##name(const SourceOptions& options); \
  std::unique_ptr<Source> open_##name(std::shared_ptr<const Index> index);
VITRAIN_SOURCE_KINDS(VITRAIN_SOURCE)
#undef VITRAIN_SOURCE

} // namespace vitrain::data::detail
