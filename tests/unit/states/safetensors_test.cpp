#include "states/safetensors.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/hash.h"
#include "core/system/files.h"
#include "support/errors.h"
#include "support/files.h"
#include "support/messages.h"
#include "weights/archive.h"

namespace vitrain::states {
namespace {

constexpr const char* kTypes =
    VITRAIN_SOURCE_DIR "/tests/golden/models/types.safetensors";

Fd create(const std::filesystem::path& path) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  EXPECT_TRUE(fd) << path;
  return fd;
}

std::string written(const TensorFile& file, const std::filesystem::path& path) {
  const Fd fd = create(path);
  std::int64_t bytes = 0;
  EXPECT_EQ(write_safetensors(fd.get(), file, nullptr, bytes), 0);
  const std::string content = read_bytes(path);
  EXPECT_EQ(bytes, static_cast<std::int64_t>(content.size()));
  return content;
}

TEST(Safetensors, ReadsEveryTypeThatPythonWrites) {
  const TensorFile file = read_safetensors(kTypes);
  EXPECT_EQ(
      file.metadata, (std::map<std::string, std::string>{{"format", "pt"}}));
  EXPECT_EQ(file.tensors.size(), 19U);
  int counted = 0;
  for (const auto& [name, tensor] : file.tensors) {
    if (!name.starts_with("t.") || name == "t.bool" || name == "t.complex64") {
      continue;
    }
    const std::vector<std::int64_t> shape = name.starts_with("t.float8")
        ? std::vector<std::int64_t>{3}
        : std::vector<std::int64_t>{3, 1};
    EXPECT_EQ(tensor.sizes().vec(), shape) << name;
    EXPECT_TRUE(
        at::equal(tensor.to(at::kDouble).flatten(), at::arange(3, at::kDouble)))
        << name;
    ++counted;
  }
  EXPECT_EQ(counted, 14);
  EXPECT_EQ(file.tensors.at("t.uint16").scalar_type(), at::kUInt16);
  EXPECT_EQ(file.tensors.at("t.uint16").sizes(), (at::IntArrayRef{3, 1}));
  EXPECT_EQ(file.tensors.at("t.float16").scalar_type(), at::kHalf);
  EXPECT_EQ(file.tensors.at("t.bfloat16").scalar_type(), at::kBFloat16);
  EXPECT_EQ(file.tensors.at("t.float8_e5m2").scalar_type(), at::kFloat8_e5m2);
  EXPECT_TRUE(
      at::equal(file.tensors.at("t.bool"), at::arange(3).remainder(2).eq(0)));
  const at::Tensor complex = at::view_as_real(file.tensors.at("t.complex64"));
  EXPECT_EQ(complex[0][0].item<float>(), 1.0F);
  EXPECT_EQ(complex[0][1].item<float>(), -2.0F);
  EXPECT_EQ(file.tensors.at("scalar").dim(), 0);
  EXPECT_EQ(file.tensors.at("scalar").item<float>(), 0.5F);
  EXPECT_EQ(file.tensors.at("empty").sizes(), (at::IntArrayRef{0, 7}));
  EXPECT_TRUE(
      std::isnan(file.tensors.at("quote\" back\\slash\ttab é✓").item<float>()));
}

TEST(Safetensors, WritesTheBytesThatPythonWrites) {
  const TempFolder folder;
  EXPECT_EQ(
      written(read_safetensors(kTypes), folder.path() / "types"),
      read_bytes(kTypes));
}

TEST(Safetensors, WritesStridedTensorsAndHashesWhatItWrites) {
  const TempFolder folder;
  const at::Tensor base = at::arange(12, at::kFloat).view({3, 4});
  TensorFile file;
  file.tensors["transposed"] = base.t();
  file.tensors["part"] = base.narrow(1, 1, 2);
  const auto path = folder.path() / "strided";
  Hasher hasher;
  std::int64_t bytes = 0;
  {
    const Fd fd = create(path);
    ASSERT_EQ(write_safetensors(fd.get(), file, &hasher, bytes), 0);
  }
  const std::string content = read_bytes(path);
  Hasher again;
  again.update(content.data(), content.size());
  EXPECT_EQ(hasher.hex(), again.hex());
  const TensorFile back = read_safetensors(path);
  EXPECT_TRUE(at::equal(back.tensors.at("transposed"), base.t()));
  EXPECT_TRUE(at::equal(back.tensors.at("part"), base.narrow(1, 1, 2)));
}

TEST(Safetensors, KeepsAnEmptyFileEmpty) {
  const TempFolder folder;
  EXPECT_EQ(
      written({}, folder.path() / "none"),
      std::string("\x08\0\0\0\0\0\0\0{}      ", 16));
  EXPECT_TRUE(read_safetensors(folder.path() / "none").tensors.empty());
}

TEST(Safetensors, RefusesTypesThatTheFormatLacks) {
  const TempFolder folder;
  const Fd fd = create(folder.path() / "x");
  std::int64_t bytes = 0;
  TensorFile file;
  file.tensors["a"] = at::zeros({2}, at::kComplexDouble);
  EXPECT_THROW(write_safetensors(fd.get(), file, nullptr, bytes), Error);
  EXPECT_EQ(bytes, 0);
}

// Views of one storage, which weighs 4 MiB.
class Views : public weights::Archive {
 public:
  explicit Views(int count) {
    const std::vector<std::int64_t> shape{1 << 20};
    storages = {4 << 20};
    for (int i = 0; i < count; ++i) {
      tensors["w" + std::to_string(i)] = {
          .type = weights::find_dtype("F32"),
          .shape = shape,
          .parts = {
              {.shape = shape, .strides = weights::contiguous_strides(shape)}}};
    }
  }
  void read(std::size_t /*storage*/, void* bytes) const override {
    std::memset(bytes, 0, static_cast<std::size_t>(storages[0]));
  }
};

TEST(Safetensors, AreNotMadeOfAThousandViewsOfOneTensor) {
  EXPECT_EQ(read_tensors(Views(4)).tensors.size(), 4U);
  expect_message(
      error_of(ExitCode::kWeights, [] { read_tensors(Views(60)); }), {});
}

// Ends the process: a limit on the size of its files stands for a full disk.
[[noreturn]] void write_beyond_limit(const std::filesystem::path& path) {
  ::signal(SIGXFSZ, SIG_IGN);
  const ::rlimit limit = {1000, 1000};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const Fd fd = create(path);
  std::int64_t bytes = 0;
  TensorFile file;
  file.tensors["a"] = at::zeros({1000});
  const int error = write_safetensors(fd.get(), file, nullptr, bytes);
  ::_exit(error == EFBIG ? 42 : 1);
}

TEST(Safetensors, ReportsAFullDisk) {
  const TempFolder folder;
  EXPECT_EXIT(
      write_beyond_limit(folder.path() / "full"),
      testing::ExitedWithCode(42),
      "");
}

} // namespace
} // namespace vitrain::states
