#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/random.h"
#include "core/source_kind.h"
#include "core/text.h"
#include "data/sources/image_names.h"
#include "data/sources/source.h"

// The kinds of sources: their functions, which list() and open() (datasets.h)
// call, and what the kinds share.
namespace vitrain::data::detail {

// Returns a path as printable text for messages.
inline std::string shown(const std::filesystem::path& path) {
  return printable(path.native());
}

// Reads an image file into `bytes`, reusing its memory. Throws Error(kData)
// naming the file if it cannot be read or is larger than kMostFileBytes.
void read_image_file(const std::filesystem::path& file, std::string& bytes);

// Source of image files, whose names in the index are relative to `folder` or
// absolute.
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

// Maximum size of an image file in bytes; photographs have a few MiB.
constexpr std::int64_t kMostFileBytes = std::int64_t{256} << 20;

// Returns the random stream of a generated dataset for one purpose; `a` and `b`
// are further keys.
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

// Throws Error(kData) if the dataset has no path. `what` describes the expected
// path in the message.
void check_has_path(const SourceOptions& options, const char* what);

// Throws Error(kData) if there are at least two classes, all called train, val
// and the like: a folder that contains training and evaluation data would
// otherwise be used as a dataset with these classes. `path`: the dataset's, for
// the message.
void check_not_splits(
    std::string_view path,
    const std::vector<std::string>& classes);

// Functions of each kind. list_NAME() lists the samples, once per node;
// open_NAME() opens them in every worker.
#define VITRAIN_SOURCE(enumerator, name)           \
  Index list_##name(const SourceOptions& options); \
  std::unique_ptr<Source> open_##name(std::shared_ptr<const Index> index);
VITRAIN_SOURCE_KINDS(VITRAIN_SOURCE)
#undef VITRAIN_SOURCE

} // namespace vitrain::data::detail
