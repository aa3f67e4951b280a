#include "results/feature_file.h"

#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "core/check.h"
#include "core/text.h"

namespace vitrain::results {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kNumpy("\x93NUMPY\x01\x00", 8);
constexpr std::string_view kFeatures = "{\"features\":";
constexpr std::size_t kLengthBytes = 8; // size of the header's length

bool is_numpy(const std::string& path) {
  VITRAIN_CHECK(
      path.ends_with(".npy") || path.ends_with(".safetensors"),
      ExitCode::kUsage,
      "-features {}: give a name that ends in .npy or .safetensors",
      printable(path));
  return path.ends_with(".npy");
}

template <typename Integer>
std::string bytes_of(std::size_t number) {
  const auto value = static_cast<Integer>(number);
  std::string bytes(sizeof(value), '\0');
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

// Appends spaces, and `end`, so that the length plus `before` is a multiple of
// `unit`.
void pad(
    std::string& text,
    std::size_t before,
    std::size_t unit,
    std::string_view end) {
  const std::size_t length = before + text.size() + end.size();
  text.append((unit - length % unit) % unit, ' ');
  text += end;
}

} // namespace

FeatureFile::FeatureFile(const std::string& path, std::int64_t images)
    : numpy_(is_numpy(path)), images_(images), file_(path) {}

void FeatureFile::write_header() {
  if (numpy_) {
    std::string text = fmt::format(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}",
        images_,
        width_);
    // The format of NumPy aligns values to 64 bytes.
    pad(text, kNumpy.size() + sizeof(std::uint16_t), 64, "\n");
    file_.write(kNumpy);
    file_.write(bytes_of<std::uint16_t>(text.size()) + text);
  } else {
    std::string text = fmt::format(
        R"({}{{"dtype":"F32","shape":[{},{}],"data_offsets":[0,{}]}}}})",
        kFeatures,
        images_,
        width_,
        images_ * width_ * static_cast<std::int64_t>(sizeof(float)));
    pad(text, 0, kLengthBytes, "");
    file_.write(bytes_of<std::uint64_t>(text.size()) + text);
  }
}

void FeatureFile::write_unread() {
  const std::vector<float> none(
      static_cast<std::size_t>(width_),
      std::numeric_limits<float>::quiet_NaN());
  for (; unread_ > 0; --unread_) {
    write_row(none);
  }
}

void FeatureFile::write_row(const std::vector<float>& values) {
  file_.write(
      {reinterpret_cast<const char*>(values.data()),
       values.size() * sizeof(float)});
}

void FeatureFile::add(std::span<const Prediction> predictions) {
  for (const Prediction& one : predictions) {
    if (one.features.empty()) {
      ++unread_;
      continue;
    }
    if (width_ == 0) {
      width_ = std::ssize(one.features);
      write_header();
    }
    write_unread();
    write_row(one.features);
  }
}

void FeatureFile::finish() {
  if (width_ == 0) {
    write_header();
  }
  write_unread();
  file_.finish();
}

bool is_features(std::string_view start) {
  return start.starts_with(kNumpy) ||
      (start.size() > kLengthBytes &&
       start.substr(kLengthBytes).starts_with(kFeatures));
}

} // namespace vitrain::results
