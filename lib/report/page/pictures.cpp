#include "report/page/pictures.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base64.h"
#include "core/system/files.h"
#include "core/text.h"
#include "image/formats/decode.h"
#include "image/formats/png_write.h"
#include "image/jpeg/jpeg_write.h"
#include "pictures/cards.h"
#include "report/page/markup.h"
#include "results/evaluation_pictures.h"

namespace vitrain::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = std::size_t{32} << 20; // bytes
// Largest PNG in bytes; larger pictures are converted to JPEG.
constexpr std::size_t kLargestPng = std::size_t{1} << 20;
constexpr int kQuality = 82; // JPEG quality
constexpr int kSmallSide = 64; // smaller pictures are shown with visible pixels
constexpr std::size_t kOpenCards = 16; // further cards are folded
constexpr std::string_view kPngBegins = "\x89PNG\r\n\x1a\n";

std::string data_of(std::string_view type, std::string_view bytes) {
  std::string out = fmt::format("data:image/{};base64,", type);
  append_base64(out, bytes);
  return out;
}

image::Image decoded(const std::string& file) {
  return image::decode(
      {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
}

// Returns a PNG file as a data URL; a large one is converted to JPEG.
std::string png_data(const std::string& file) {
  return file.size() <= kLargestPng
      ? data_of("png", file)
      : data_of("jpeg", image::encode_jpeg(decoded(file), kQuality));
}

std::string
figure(const std::string& file, std::string_view text, Paper paper) {
  return fmt::format(
      "<figure class=\"{}\"><div class=\"wide\"><img alt=\"{}\" src=\"{}\">"
      "</div><figcaption>{}</figcaption></figure>\n",
      paper == Paper::kWhite ? "drawing" : "photographs",
      html(text),
      png_data(file),
      html(text));
}

// Returns the bytes of a PNG file; "" if there is none or it is no PNG. If it
// cannot be read, sets `out` to a message.
std::string
read_png(const fs::path& file, std::string_view text, std::string& out) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    return "";
  }
  try {
    const std::string bytes = read_file(file, kLargestFile, ExitCode::kStorage);
    return bytes.starts_with(kPngBegins) ? bytes : "";
  } catch (const Error& failure) {
    out = fmt::format("<p>{}: {}</p>\n", html(text), html(failure.what()));
    return "";
  }
}

std::string hex_of(const pictures::Colour& colour) {
  return fmt::format(
      "#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

std::string card_line(const pictures::CardLine& line) {
  const bool bar = line.share >= 0;
  return fmt::format(
      "<span class=\"line\" style=\"--tone:{};--share:{:.3f}\"><span>{}</span>"
      "{}</span>",
      hex_of(line.colour),
      bar ? std::min(line.share, 1.0) : 1.0,
      html(line.text),
      bar ? fmt::format("<b>{:.1f} %</b>", 100 * line.share) : "");
}

std::string card_figure(const pictures::Card& card) {
  const image::Image& picture = card.picture;
  const bool small = std::max(picture.width, picture.height) <= kSmallSide;
  std::string lines;
  for (const pictures::CardLine& line : card.lines) {
    lines += card_line(line);
  }
  return fmt::format(
      "<figure class=\"card\"><img{} alt=\"{}\" width=\"{}\" height=\"{}\" "
      "src=\"{}\"><figcaption>{}{}</figcaption></figure>\n",
      small ? " class=\"pixels\"" : "",
      html(card.title),
      picture.width,
      picture.height,
      small ? data_of("png", image::encode_png(picture))
            : data_of("jpeg", image::encode_jpeg(picture, kQuality)),
      card.title.empty() ? ""
                         : fmt::format(
                               "<span class=\"path\" title=\"{0}\"><bdi>{0}"
                               "</bdi></span>",
                               html(card.title)),
      lines);
}

std::string card_grid(std::span<const pictures::Card> shown) {
  std::string out = "<div class=\"cards\">\n";
  for (const pictures::Card& card : shown) {
    out += card_figure(card);
  }
  return out + "</div>\n";
}

std::string card_section(
    std::span<const pictures::Card> all,
    std::string_view text) {
  const std::size_t open = std::min(all.size(), kOpenCards);
  std::string out =
      fmt::format("<h3>{}</h3>\n{}", html(text), card_grid(all.first(open)));
  if (all.size() > open) {
    out += fmt::format(
        "<details><summary>{} more</summary>{}</details>\n",
        all.size() - open,
        card_grid(all.subspan(open)));
  }
  return out;
}

} // namespace

std::string picture(const fs::path& file, std::string_view text, Paper paper) {
  std::string out;
  const std::string bytes = read_png(file, text, out);
  return bytes.empty() ? out : figure(bytes, text, paper);
}

std::string cards(const fs::path& file, std::string_view text) {
  std::string out;
  const std::string bytes = read_png(file, text, out);
  if (bytes.empty()) {
    return out;
  }
  const std::vector<pictures::Card> found = pictures::read_cards(bytes);
  return found.empty() ? figure(bytes, text, Paper::kPhotographs)
                       : card_section(found, text);
}

std::string heat_map(const NamedConfusion& table) {
  const auto drawn = [&](const pictures::Palette& palette) {
    return data_of(
        "png",
        image::encode_png(results::draw_confusion(
            table.counts,
            table.classes,
            {.palette = palette, .heading = false})));
  };
  return fmt::format(
      "<h3>Confusion: rows are true classes, columns predictions</h3>\n"
      "<figure class=\"heat\"><div class=\"wide\"><picture><source media=\""
      "(prefers-color-scheme: dark)\" srcset=\"{}\"><img alt=\"Confusion "
      "matrix\" src=\"{}\"></picture></div></figure>\n",
      drawn(pictures::kDarkPalette),
      drawn(pictures::kLightPalette));
}

} // namespace vitrain::report
