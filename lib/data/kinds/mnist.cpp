#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "core/check.h"
#include "core/inflation.h"
#include "core/system/files.h"
#include "core/text.h"
#include "data/kinds/kinds.h"
#include "data/sources/class_names.h"

// The IDX files of MNIST (http://yann.lecun.com/exdb/mnist), Fashion-MNIST and
// similar datasets, optionally compressed with gzip: a big-endian magic number
// and dimensions, then bytes. The datasets are small, so the index contains the
// pixels.
namespace vitrain::data::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostMnistBytes = std::size_t{1} << 30;
constexpr std::uint32_t kImages = 0x00000803; // bytes, three dimensions
constexpr std::uint32_t kLabels = 0x00000801; // bytes, one dimension

// Folders, relative to the dataset's, in which torchvision and the distributed
// archives store the files.
constexpr std::array<const char*, 4> kFolders{
    "",
    "raw",
    "MNIST/raw",
    "FashionMNIST/raw"};

// Returns the path of a file, plain or compressed, relative to the dataset's
// folder; nullopt if it does not exist.
std::optional<fs::path> find_file(const fs::path& root, const char* name) {
  for (const char* folder : kFolders) {
    for (const char* end : {"", ".gz"}) {
      fs::path relative = fs::path(folder) / (std::string(name) + end);
      std::error_code error;
      if (fs::exists(root / relative, error)) {
        return relative;
      }
    }
  }
  return std::nullopt;
}

fs::path need_file(const SourceOptions& options, const char* name) {
  auto found = find_file(options.path, name);
  VITRAIN_CHECK_DATA(
      found.has_value(),
      "{}: no {} or {}.gz in it (nor in MNIST/raw or FashionMNIST/raw); give "
      "the folder of the IDX files of MNIST or Fashion-MNIST",
      shown(options.path),
      name,
      name);
  return *std::move(found);
}

// Decompresses at most `most` bytes, plus one if there are more. Throws
// Error(kData) if the file is damaged, Error(kOutOfMemory) if zlib lacks
// memory.
std::string
unpack(const fs::path& path, const std::string& packed, std::size_t most) {
  z_stream stream{};
  // 16 selects the gzip format.
  VITRAIN_CHECK(
      ::inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK,
      ExitCode::kOutOfMemory,
      "{}: no memory to unpack it",
      shown(path));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  // Grows the output step by step, because a header may claim more data than
  // follow.
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::string bytes;
  int result = Z_OK;
  while (result == Z_OK && bytes.size() <= most) {
    const std::size_t done = bytes.size();
    bytes.resize(std::min(most + 1, done + kPiece));
    stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + done);
    stream.avail_out = static_cast<uInt>(bytes.size() - done);
    result = ::inflate(&stream, Z_NO_FLUSH);
    bytes.resize(bytes.size() - stream.avail_out);
  }
  ::inflateEnd(&stream);
  VITRAIN_CHECK_DATA(
      result == Z_STREAM_END || bytes.size() > most,
      "{}: is damaged, or its download is not complete",
      shown(path));
  return bytes;
}

// Content of an IDX file after its header.
struct Idx {
  std::array<std::int64_t, 3> sizes{1, 1, 1};
  std::string bytes;
};

Idx read_idx(const fs::path& path, std::uint32_t magic) {
  const std::string file = read_file(path, kMostMnistBytes, ExitCode::kData);
  const bool packed = path.extension() == ".gz";
  const std::size_t dimensions = magic & 0xFF;
  const std::size_t header_size = 4 * (1 + dimensions);
  const std::string header =
      packed ? unpack(path, file, header_size) : file.substr(0, header_size);
  const auto word = [&](std::size_t i) {
    std::uint32_t value = 0;
    for (std::size_t byte = 4 * i; byte < 4 * i + 4; ++byte) {
      value = value << 8 | static_cast<unsigned char>(header[byte]);
    }
    return value;
  };
  VITRAIN_CHECK_DATA(
      header.size() >= header_size && word(0) == magic,
      "{}: does not begin as an IDX file of {}",
      shown(path),
      magic == kImages ? "images" : "labels");
  Idx idx;
  std::size_t numbers = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    idx.sizes[i] = word(i + 1);
    VITRAIN_CHECK_DATA(
        word(i + 1) >= 1 && word(i + 1) <= kMostMnistBytes / numbers,
        "{}: its header says {} x {} x {}, which is empty or more than 1 GiB",
        shown(path),
        word(1),
        dimensions > 1 ? word(2) : 1,
        dimensions > 2 ? word(3) : 1);
    numbers *= word(i + 1);
  }
  const std::uint64_t most = most_unpacked(file.size());
  VITRAIN_CHECK_DATA(
      !packed || header_size + numbers <= most,
      "{}: unpacks to {}, more than the limit of {} for its size: unpack it",
      shown(path),
      human_bytes(static_cast<double>(numbers)),
      human_bytes(static_cast<double>(most)));
  idx.bytes = packed ? unpack(path, file, header_size + numbers) : file;
  VITRAIN_CHECK_DATA(
      idx.bytes.size() == header_size + numbers,
      "{}: has {} {} bytes, and its header says {}; is the download complete?",
      shown(path),
      packed && idx.bytes.size() > numbers ? "at least" : "exactly",
      idx.bytes.size(),
      header_size + numbers);
  idx.bytes.erase(0, header_size);
  return idx;
}

class MnistSource final : public Source {
 public:
  using Source::Source;

  image::Image load(std::int64_t sample) const override {
    const auto side = static_cast<int>(index().options().size);
    image::Image image(side, side);
    std::uint8_t* pixel = image.pixels.data();
    for (const char value : index().payload(sample)) {
      pixel = std::fill_n(pixel, 3, static_cast<std::uint8_t>(value));
    }
    return image;
  }

  std::string describe(std::int64_t sample) const override {
    return fmt::format(
        "{} image {}",
        shown(fs::path(index().options().path) / index().name(0)),
        sample);
  }
};

} // namespace

Index list_mnist(const SourceOptions& options) {
  check_has_path(options, "the folder of MNIST's files");
  const fs::path root = options.path;
  const fs::path images_file = need_file(
      options,
      options.train ? "train-images-idx3-ubyte" : "t10k-images-idx3-ubyte");
  const fs::path labels_file = need_file(
      options,
      options.train ? "train-labels-idx1-ubyte" : "t10k-labels-idx1-ubyte");
  Idx images = read_idx(root / images_file, kImages);
  const Idx labels = read_idx(root / labels_file, kLabels);
  const auto [count, height, width] = images.sizes;
  VITRAIN_CHECK_DATA(
      labels.sizes[0] == count,
      "{} has {} labels for {} images",
      shown(root / labels_file),
      with_commas(labels.sizes[0]),
      with_commas(count));
  VITRAIN_CHECK_DATA(
      height == width && height <= 4096,
      "{}: its images are {} x {} pixels; expected squares of at most 4096",
      shown(root / images_file),
      width,
      height);
  Index::Contents contents;
  contents.options = options;
  contents.options.size = height;
  contents.samples = count;
  contents.payload = std::move(images.bytes);
  std::int32_t highest = 9;
  for (const char label : labels.bytes) {
    contents.labels.push_back(static_cast<unsigned char>(label));
    highest = std::max(highest, contents.labels.back());
  }
  contents.classes = numbered_classes(highest + 1);
  contents.name_starts = {0};
  contents.names = images_file.native() + '\0';
  return Index(std::move(contents));
}

std::unique_ptr<Source> open_mnist(std::shared_ptr<const Index> index) {
  return std::make_unique<MnistSource>(std::move(index));
}

} // namespace vitrain::data::detail
