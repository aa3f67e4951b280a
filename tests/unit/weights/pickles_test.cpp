// Files that torch.save wrote with each protocol of pickle, and checkpoints
// with other objects besides the weights
// (tests/golden/weights/make_pickle_files.py).

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/files.h"
#include "support/messages.h"
#include "weights/archive.h"
#include "weights/pickle.h"

namespace vitrain::weights {
namespace {

std::string golden(const std::string& name) {
  return VITRAIN_SOURCE_DIR "/tests/golden/weights/pickles/" + name;
}

std::vector<float> values_of(const Archive& archive, const std::string& name) {
  const StoredTensor& tensor = archive.tensors.at(name);
  const StridedPart& part = tensor.parts.at(0);
  std::vector<float> storage(
      static_cast<std::size_t>(archive.storages.at(part.storage)) /
      sizeof(float));
  archive.read(part.storage, storage.data());
  std::int64_t count = 1;
  for (const std::int64_t size : tensor.shape) {
    count *= size;
  }
  const auto first = storage.begin() + part.offset;
  return {first, first + count};
}

void expect_weights(const std::string& name) {
  const auto archive = open_archive(golden(name));
  EXPECT_EQ(archive->tensors.size(), 2U) << name;
  EXPECT_EQ(
      values_of(*archive, "weight"), std::vector<float>({0, 1, 2, 3, 4, 5}))
      << name;
  EXPECT_EQ(values_of(*archive, "bias"), std::vector<float>({7, 8})) << name;
}

// Files of protocol 3 to 5 were taken for PaddlePaddle's.
TEST(Pickles, OfTorchsOldFormatAreReadInEveryProtocol) {
  for (int protocol = 1; protocol <= 5; ++protocol) {
    const std::string name = "legacy_" + std::to_string(protocol) + ".pth";
    expect_weights(name);
    EXPECT_STREQ(open_archive(golden(name))->format, "PyTorch (before 1.6)");
  }
}

// "it names builtins.getattr" refused files whose settings had such objects.
TEST(Pickles, OfObjectsThatNothingCallsAreRead) {
  for (int protocol = 2; protocol <= 5; ++protocol) {
    expect_weights("objects_" + std::to_string(protocol) + ".pth");
    expect_weights("legacy_objects_" + std::to_string(protocol) + ".pth");
  }
}

std::string refusal(const std::string& pickle) {
  return error_of(ExitCode::kWeights, [&] { Pickle(pickle, "file"); });
}

TEST(Pickles, ThatCallAProgramAreRefusedHoweverItIsReached) {
  using namespace std::string_literals;
  const std::string call = "X\4\0\0\0true\x85R."s;
  expect_message(refusal("\x80\2cos\nsystem\n"s + call), {"os.system"});
  expect_message(
      refusal("\x80\4\x8c\5torch\x8c\tos.system\x93"s + call),
      {"torch.os.system"});
  const std::string getattr = "\x80\2cbuiltins\ngetattr\n"s;
  expect_message(
      refusal(getattr + "ctorch\nos\nX\6\0\0\0system\x86R"s + call),
      {"torch.os.system"});
  expect_message(
      refusal(
          getattr + "cbuiltins\ngetattr\nctorch\nhub\nX\2\0\0\0os\x86R"s +
          "X\6\0\0\0system\x86R"s + call),
      {"torch.hub.os.system"});
  expect_message(refusal("\x80\2cbuiltins\neval\n"s + call), {"builtins.eval"});
  EXPECT_EQ(refusal("\x80\2cos\nsystem\n."), "");
}

TEST(OtherContent, IsNamedAndSaysWhatToGive) {
  using namespace std::string_literals;
  const TempFolder folder;
  const auto refused = [&](const std::string& name, const std::string& bytes) {
    const std::string path = folder.write(name, bytes);
    return error_of(ExitCode::kWeights, [&] { open_archive(path); });
  };
  const std::string rest(400, 'x');
  expect_message(refused("a.pth", "\xff\xd8\xff\xe0" + rest), {});
  expect_message(refused("a.jpg", "\x89PNG\r\n\x1a\n" + rest), {});
  expect_message(
      refused("a.safetensors", "\n<!DOCTYPE html><html>" + rest), {});
  expect_message(
      refused("b.safetensors", "version https://git-lfs.github.com/spec/v1\n"),
      {});
  expect_message(refused("a.gz", "\x1f\x8b\x08" + rest), {});
  const std::string parameters = "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"s + rest;
  expect_message(refused("inference.pdiparams", parameters), {});
  // With another file name, the same bytes count as a damaged safetensors file.
  expect_message(refused("c.bin", parameters), {"c.bin"});
}

} // namespace
} // namespace vitrain::weights
