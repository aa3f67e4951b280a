#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "data/kinds/datasets.h"
#include "support/messages.h"
#include "unit/data/support.h"

namespace vitrain::data {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

// A record whose pixel p has red = p, green = p + 1, blue = p + 2 + shift.
std::string record(int label, int shift) {
  std::string bytes(1, static_cast<char>(label));
  for (int channel = 0; channel < 3; ++channel) {
    for (int p = 0; p < 1024; ++p) {
      bytes.push_back(
          static_cast<char>(p + channel + (channel == 2 ? shift : 0)));
    }
  }
  return bytes;
}

Index list_cifar(const fs::path& path, bool train = true) {
  SourceOptions options;
  options.kind = SourceKind::kCifar;
  options.path = path.native();
  options.train = train;
  return list(options);
}

std::string cifar_error(const fs::path& path, bool train = true) {
  return data_error([&] { list_cifar(path, train); });
}

TEST(Cifar, ReadsFilesOfAnyNumberOfRecords) {
  const TempFolder folder;
  folder.write("data_batch_1.bin", record(3, 0) + record(1, 1) + record(9, 2));
  folder.write("data_batch_2.bin", record(0, 3));
  folder.write("test_batch.bin", record(2, 4) + record(4, 5));
  folder.write("batches.meta.txt", "ant\nbee\r\ncat\nd\ne\nf\ng\nh\ni\nj\n\n");
  const auto source = open(std::make_shared<Index>(list_cifar(folder.path())));
  ASSERT_EQ(source->size(), 4);
  EXPECT_EQ(source->label(0), 3);
  EXPECT_EQ(source->label(2), 9);
  EXPECT_EQ(source->label(3), 0);
  ASSERT_EQ(source->classes().size(), 10u);
  EXPECT_EQ(source->classes()[1], "bee");
  expect_message(source->describe(2), {"data_batch_1.bin", "2"});
  expect_message(source->describe(3), {"data_batch_2.bin", "0"});
  for (const int sample : {0, 1, 2, 3}) {
    const image::Image image = source->load(sample);
    ASSERT_EQ(image.width, 32);
    ASSERT_EQ(image.height, 32);
    for (int p = 0; p < 1024; ++p) {
      const auto* pixel = image.pixels.data() + static_cast<std::size_t>(p) * 3;
      ASSERT_EQ(pixel[0], p % 256);
      ASSERT_EQ(pixel[1], (p + 1) % 256);
      ASSERT_EQ(pixel[2], (p + 2 + sample) % 256);
    }
  }
  std::string bytes = "kept";
  EXPECT_FALSE(source->read(0, bytes));
  EXPECT_EQ(bytes, "kept");
  const Index eval = list_cifar(folder.path(), /*train=*/false);
  EXPECT_EQ(eval.size(), 2);
  EXPECT_EQ(eval.label(1), 4);
}

TEST(Cifar, FindsTheSubfolderOfTheArchive) {
  const TempFolder folder;
  folder.write("cifar-10-batches-bin/data_batch_1.bin", record(5, 0));
  const Index index = list_cifar(folder.path());
  EXPECT_EQ(index.size(), 1);
  // Without batches.meta.txt the classes are called by their numbers.
  EXPECT_THAT(
      index.classes(),
      ElementsAre("0", "1", "2", "3", "4", "5", "6", "7", "8", "9"));
  const auto source = open(std::make_shared<Index>(index));
  EXPECT_EQ(source->load(0).pixels[0], 0);
}

// A record of CIFAR-100 has a coarse label before the fine one.
std::string record_of_100(int coarse, int fine, int shift) {
  return std::string(1, static_cast<char>(coarse)) + record(fine, shift);
}

TEST(Cifar, ReadsCifar100WithFineOrCoarseLabels) {
  const TempFolder folder;
  folder.write(
      "cifar-100-binary/train.bin",
      record_of_100(19, 99, 0) + record_of_100(3, 0, 1));
  folder.write("cifar-100-binary/test.bin", record_of_100(4, 7, 2));
  const auto fine = open(std::make_shared<Index>(list_cifar(folder.path())));
  EXPECT_EQ(fine->size(), 2);
  EXPECT_EQ(fine->label(0), 99);
  EXPECT_EQ(fine->label(1), 0);
  EXPECT_EQ(fine->classes().size(), 100u);
  EXPECT_EQ(fine->load(1).pixels[0], 0);
  EXPECT_EQ(fine->load(1).pixels[1], 1);
  EXPECT_EQ(fine->load(1).pixels[2], 3);
  EXPECT_EQ(list_cifar(folder.path(), /*train=*/false).label(0), 7);
  SourceOptions options;
  options.kind = SourceKind::kCifar;
  options.path = (folder.path() / "cifar-100-binary").native();
  options.label = "coarse";
  const auto coarse = open(std::make_shared<Index>(list(options)));
  EXPECT_EQ(coarse->label(0), 19);
  EXPECT_EQ(coarse->classes().size(), 20u);
  EXPECT_EQ(coarse->load(1).pixels, fine->load(1).pixels);
  // Names are in a file for each kind of label.
  std::string names;
  for (int i = 0; i < 20; ++i) {
    names += "group" + std::to_string(i) + "\n";
  }
  folder.write("cifar-100-binary/coarse_label_names.txt", names);
  EXPECT_EQ(list(options).classes()[19], "group19");
  EXPECT_EQ(list_cifar(folder.path()).classes()[19], "19");
  options.label = "medium";
  expect_message(data_error([&] { list(options); }), {});
  folder.write("ten/data_batch_1.bin", record(1, 0));
  options.path = (folder.path() / "ten").native();
  options.label = "coarse";
  expect_message(data_error([&] { list(options); }), {});
  folder.write("ten/train.bin", record_of_100(1, 1, 0));
  expect_message(cifar_error(folder.path() / "ten"), {"100"});
  folder.write("cifar-100-binary/train.bin", record(1, 0));
  expect_message(cifar_error(folder.path()), {"3074"});
}

TEST(Cifar, ExplainsWhatIsWrong) {
  const TempFolder folder;
  expect_message(cifar_error(folder.path()), {"train.bin"});
  expect_message(
      cifar_error(folder.path(), false), {"test_batch.bin", "test.bin"});
  expect_message(cifar_error(folder.path() / "missing"), {});
  expect_message(cifar_error(""), {});
  folder.write("data_batch_1.bin", record(1, 0) + "x");
  expect_message(
      cifar_error(folder.path()), {"data_batch_1.bin", "3074", "3073"});
  folder.write("data_batch_1.bin", "");
  expect_message(cifar_error(folder.path()), {"0"});
  folder.write("data_batch_1.bin", record(1, 0) + record(10, 0));
  expect_message(cifar_error(folder.path()), {"data_batch_1.bin", "10", "9"});
  folder.write("batches.meta.txt", "\n\n");
  expect_message(cifar_error(folder.path()), {"0"});
}

TEST(Cifar, NoticesFilesThatShrinkOrVanish) {
  const TempFolder folder;
  const auto file =
      folder.write("data_batch_1.bin", record(1, 0) + record(2, 0));
  const auto index = std::make_shared<Index>(list_cifar(folder.path()));
  const auto source = open(index);
  fs::resize_file(file, 4000);
  EXPECT_EQ(source->load(0).width, 32);
  expect_message(
      data_error([&] { source->load(1); }), {"data_batch_1.bin", "4000"});
  fs::remove(file);
  expect_message(data_error([&] { open(index); }), {"data_batch_1.bin"});
}

} // namespace
} // namespace vitrain::data
