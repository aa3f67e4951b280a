#include "engine/train/sample_sheet.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/text.h"
#include "image/operations/channels.h"
#include "pictures/cards.h"

namespace vitrain::engine {
namespace {

// Pixels of all images together: small enough for the report, so large images
// are fewer.
constexpr std::int64_t kSheetPixels = std::int64_t{1} << 20;
constexpr std::int64_t kFewestOnSheet = 4;
constexpr std::int64_t kMostOnSheet = 64;

logging::Picture draw(
    const at::Tensor& images,
    const std::vector<std::string>& captions) {
  const image::Size size{
      static_cast<int>(images.size(2)), static_cast<int>(images.size(1))};
  const bool named = std::ranges::any_of(
      captions, [](const std::string& caption) { return !caption.empty(); });
  pictures::CardSheet sheet(
      {.count = images.size(0),
       .lines = named ? 1 : 0,
       .titles = false,
       .size = size,
       .heading = "Training images",
       .note = fmt::format(
           "{} of the first batch, as the network sees them",
           counted(images.size(0), "image"))});
  for (std::int64_t i = 0; i < images.size(0); ++i) {
    const at::Tensor image = images[i];
    pictures::Card card;
    card.picture = image::in_colours(
        std::span(
            image.const_data_ptr<std::uint8_t>(),
            static_cast<std::size_t>(image.numel())),
        size.width,
        size.height,
        static_cast<int>(images.size(3)));
    if (named) {
      card.lines.push_back({.text = captions[static_cast<std::size_t>(i)]});
    }
    sheet.add(card);
  }
  return {
      .png = sheet.png(),
      .width = sheet.image().width,
      .height = sheet.image().height};
}

} // namespace

std::int64_t SampleSheet::count(
    std::int64_t images,
    std::int64_t height,
    std::int64_t width) {
  return std::min(
      images,
      std::clamp(
          kSheetPixels / (height * width), kFewestOnSheet, kMostOnSheet));
}

SampleSheet::SampleSheet(
    at::Tensor images,
    at::Tensor labels,
    const std::vector<std::string>& classes) {
  std::vector<std::string> captions(static_cast<std::size_t>(images.size(0)));
  for (std::size_t i = 0; labels.defined() && i < captions.size(); ++i) {
    const auto label = static_cast<std::size_t>(
        labels[static_cast<std::int64_t>(i)].item<std::int64_t>());
    captions[i] = label < classes.size() ? classes[label] : "";
  }
  drawn_ = std::async(
      std::launch::async,
      [images = std::move(images), captions = std::move(captions)] {
        return draw(images, captions);
      });
}

std::optional<logging::Picture> SampleSheet::take(bool wait) {
  const bool there = drawn_.valid() &&
      (wait ||
       drawn_.wait_for(std::chrono::seconds(0)) == std::future_status::ready);
  return there ? std::optional(drawn_.get()) : std::nullopt;
}

} // namespace vitrain::engine
