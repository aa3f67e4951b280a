#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <string>

#include "core/random.h"
#include "data/kinds/datasets.h"
#include "support/messages.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kImagesFile = "train-images-idx3-ubyte";
constexpr const char* kLabels = "train-labels-idx1-ubyte";

std::string word(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<char>(value >> shift));
  }
  return bytes;
}

// Pixel p of image i is 7 i + p, as a byte.
std::string images(std::uint32_t count, std::uint32_t side = 5) {
  std::string bytes = word(0x803) + word(count) + word(side) + word(side);
  for (std::uint32_t i = 0; i < count; ++i) {
    for (std::uint32_t p = 0; p < side * side; ++p) {
      bytes.push_back(static_cast<char>(7 * i + p));
    }
  }
  return bytes;
}

std::string labels(const std::string& values) {
  return word(0x801) + word(static_cast<std::uint32_t>(values.size())) + values;
}

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(
      ::deflateInit2(
          &stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
      Z_OK);
  std::string packed(::deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(packed.size() - stream.avail_out);
  ::deflateEnd(&stream);
  return packed;
}

Index list_mnist(const fs::path& path, bool train = true) {
  return list(
      {.kind = SourceKind::kMnist, .path = path.native(), .train = train});
}

std::string mnist_error(const fs::path& path) {
  return data_error([&] { list_mnist(path); });
}

void expect_example(const fs::path& path) {
  const auto index = std::make_shared<Index>(list_mnist(path));
  const auto source = open(index);
  ASSERT_EQ(source->size(), 3);
  EXPECT_EQ(source->classes().size(), 10u);
  EXPECT_EQ(source->label(0), 4);
  EXPECT_EQ(source->label(2), 9);
  expect_message(source->describe(2), {});
  expect_message(source->describe(2), {"2"});
  for (std::size_t i = 0; i < 3; ++i) {
    const image::Image image = source->load(static_cast<std::int64_t>(i));
    ASSERT_EQ(image.width, 5);
    ASSERT_EQ(image.height, 5);
    for (std::size_t p = 0; p < 25; ++p) {
      for (std::size_t channel = 0; channel < 3; ++channel) {
        ASSERT_EQ(image.pixels[3 * p + channel], 7 * i + p);
      }
    }
  }
}

TEST(Mnist, ReadsPlainAndPackedFilesWhereToolsPutThem) {
  const std::string three = labels(std::string("\4\0\11", 3));
  const TempFolder plain;
  plain.write(kImagesFile, images(3));
  plain.write(kLabels, three);
  expect_example(plain.path());
  const TempFolder packed;
  packed.write(std::string(kImagesFile) + ".gz", gzip(images(3)));
  packed.write(std::string(kLabels) + ".gz", gzip(three));
  expect_example(packed.path());
  EXPECT_EQ(
      list_mnist(plain.path()).fingerprint(),
      list_mnist(plain.path()).fingerprint());
  const TempFolder torchvision;
  torchvision.write(std::string("MNIST/raw/") + kImagesFile, images(3));
  torchvision.write(std::string("MNIST/raw/") + kLabels, three);
  torchvision.write("MNIST/raw/t10k-images-idx3-ubyte", images(2));
  torchvision.write("MNIST/raw/t10k-labels-idx1-ubyte", labels("\1\2"));
  expect_example(torchvision.path());
  EXPECT_EQ(list_mnist(torchvision.path(), /*train=*/false).size(), 2);
}

TEST(Mnist, SurvivesTheWayToTheWorkers) {
  const TempFolder folder;
  folder.write(kImagesFile, images(3));
  folder.write(kLabels, labels(std::string("\4\0\13", 3)));
  const Index index = list_mnist(folder.path());
  EXPECT_EQ(index.classes().size(), 12u); // the highest label is 11
  const auto copy = std::make_shared<std::string>(index.bytes());
  const Index mapped({copy->data(), copy->size()}, copy);
  EXPECT_EQ(mapped.payload(1), index.payload(1));
  EXPECT_EQ(mapped.fingerprint(), index.fingerprint());
  folder.write(kImagesFile, images(3).replace(20, 1, "x"));
  EXPECT_NE(list_mnist(folder.path()).fingerprint(), index.fingerprint());
}

TEST(Mnist, ExplainsWhatIsWrong) {
  const TempFolder folder;
  expect_message(mnist_error(""), {});
  expect_message(mnist_error(folder.path()), {});
  folder.write(kImagesFile, images(3));
  expect_message(mnist_error(folder.path()), {});
  folder.write(kLabels, labels("\1\2"));
  expect_message(mnist_error(folder.path()), {"2", "3"});
  folder.write(kLabels, labels("\1\2\3").substr(0, 9));
  expect_message(mnist_error(folder.path()), {"9", "11"});
  folder.write(kLabels, images(3));
  expect_message(mnist_error(folder.path()), {});
  folder.write(kLabels, labels("\1\2\3"));
  folder.write(
      kImagesFile, word(0x803) + word(3) + word(2) + word(1) + "123456");
  expect_message(mnist_error(folder.path()), {"1", "2"});
  folder.write(kImagesFile, word(0x803) + word(0) + word(5) + word(5));
  expect_message(mnist_error(folder.path()), {});
}

// Sizes whose product overflows, cut and damaged archives, and archives that
// unpack to far more than they say.
TEST(Mnist, HostileFilesAreRefused) {
  const TempFolder folder;
  const std::string packed_name = std::string(kImagesFile) + ".gz";
  folder.write(kLabels, labels("\1\2\3"));
  const std::string huge =
      word(0x803) + word(0x10000) + word(0x10000) + word(0x10000);
  folder.write(packed_name, gzip(huge));
  expect_message(mnist_error(folder.path()), {"1"});
  folder.write(packed_name, gzip(images(3) + std::string(1 << 24, '\0')));
  expect_message(mnist_error(folder.path()), {"92"});
  const std::string good = gzip(images(3));
  Random random(3, Purpose::kInit, 0, 0);
  for (std::size_t size = 0; size < good.size(); size += 3) {
    folder.write(packed_name, good.substr(0, size));
    EXPECT_NE(mnist_error(folder.path()), "") << size;
  }
  for (int i = 0; i < 300; ++i) {
    std::string damaged = good;
    damaged[random.below(damaged.size())] ^=
        static_cast<char>(1 + random.below(255));
    folder.write(packed_name, damaged);
    // Some bytes of a gzip header mean nothing; no damage may do harm.
    EXPECT_THAT(mnist_error(folder.path()), testing::Not(HasSubstr("not a")));
  }
}

} // namespace
} // namespace vitrain::data
