#include <filesystem>

#include <unistd.h>

#include "core/system/files.h"
#include "data/kinds/datasets.h"
#include "fuzz/fuzz.h"
#include "support/files.h"

// MNIST's and CIFAR's files and archives as a data set has them: listed, opened
// and read like in training. The first byte chooses the kind.
namespace vitrain::fuzz {
namespace {

namespace fs = std::filesystem;

void read_all(data::SourceKind kind, const fs::path& path) {
  accepts([&] {
    data::SourceOptions options;
    options.kind = kind;
    options.path = path.native();
    options.classes = 0;
    const auto index = std::make_shared<const data::Index>(data::list(options));
    const auto source = data::open(index);
    std::string bytes;
    for (std::int64_t i = 0; i < index->size(); ++i) {
      const std::int64_t label = index->label(i);
      expect(
          label >= 0 && label < std::ssize(index->classes()),
          "a label is that of a class");
      if (kind == data::SourceKind::kTar) {
        expect(source->read(i, bytes), "archives have files");
      } else {
        const image::Image image = source->load(i);
        expect(
            std::ssize(image.pixels) ==
                std::int64_t{3} * image.width * image.height,
            "every pixel is there");
      }
    }
  });
}

} // namespace

void fuzz(std::span<const std::uint8_t> input) {
  if (input.empty() || input.size() > (1 << 20)) {
    return;
  }
  static const TempFolder folder;
  const std::string_view bytes(
      reinterpret_cast<const char*>(input.data()) + 1, input.size() - 1);
  switch (input.front() % 4) {
    case 0: {
      // Two files of one image each, the first of which is the input.
      static const fs::path labels = folder.write(
          "idx/train-labels-idx1-ubyte",
          std::string_view("\0\0\x08\x01\0\0\0\x02\x03\x04", 10));
      folder.write("idx/train-images-idx3-ubyte", bytes);
      read_all(data::SourceKind::kMnist, folder.path() / "idx");
      break;
    }
    case 1: {
      static const fs::path images = folder.write(
          "gz/train-images-idx3-ubyte",
          std::string_view(
              "\0\0\x08\x03\0\0\0\x01\0\0\0\x01\0\0\0\x01\x07", 17));
      folder.write("gz/train-labels-idx1-ubyte.gz", bytes);
      read_all(data::SourceKind::kMnist, folder.path() / "gz");
      break;
    }
    case 2:
      folder.write("cifar/train.bin", bytes);
      read_all(data::SourceKind::kCifar, folder.path() / "cifar");
      break;
    default:
      read_all(data::SourceKind::kTar, folder.write("x.tar", bytes));
  }
}

} // namespace vitrain::fuzz
