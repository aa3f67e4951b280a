#include "pictures/system_fonts.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "core/system/files.h"
#include "core/system/system.h"

namespace vitrain::pictures {
namespace {

// Maximum size of a font file, in bytes.
constexpr std::size_t kLargest = std::size_t{64} << 20;

struct KnownFont {
  std::string_view name;
  int number = 0;
};
// Fonts in the order of preference. The third of Noto's five fonts is for
// simplified Chinese; the other four have the same characters, some in
// Japanese, Korean or Taiwanese forms.
constexpr std::array kKnownFonts{
    KnownFont{"NotoSansCJK-Regular.ttc", 2},
    KnownFont{"NotoSansCJKsc-Regular.otf"},
    KnownFont{"NotoSansSC-Regular.otf"},
    KnownFont{"SourceHanSansSC-Regular.otf"},
    KnownFont{"SourceHanSansCN-Regular.otf"},
    KnownFont{"wqy-microhei.ttc"},
    KnownFont{"DroidSansFallbackFull.ttf"},
    KnownFont{"wqy-zenhei.ttc"},
    KnownFont{"DroidSansFallback.ttf"},
    KnownFont{"NotoSansCJKjp-Regular.otf"},
    KnownFont{"ipaexg.ttf"},
    KnownFont{"ipag.ttf"},
    KnownFont{"NanumGothic.ttf"},
    KnownFont{"UnDotum.ttf"},
    KnownFont{"uming.ttc"}};

// Reads big-endian numbers of an sfnt file; numbers outside the file are 0.
class Reader {
 public:
  explicit Reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::uint32_t u16(std::size_t at) const {
    return byte(at) << 8 | byte(at + 1);
  }
  std::uint32_t u32(std::size_t at) const {
    return u16(at) << 16 | u16(at + 2);
  }
  // Returns the checksum of `size` bytes, which must exist; a final incomplete
  // word is padded with zeros.
  std::uint32_t sum(std::size_t at, std::size_t size) const {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i + 4 <= size; i += 4) {
      sum += u32(at + i);
    }
    for (std::size_t i = size / 4 * 4; i < size; ++i) {
      sum += byte(at + i) << (24 - 8 * (i % 4));
    }
    return sum;
  }
  bool has(std::size_t at, std::size_t size) const {
    return at <= bytes_.size() && size <= bytes_.size() - at;
  }

 private:
  std::uint32_t byte(std::size_t at) const {
    return at < bytes_.size() ? bytes_[at] : 0;
  }

  std::span<const std::uint8_t> bytes_;
};

constexpr std::uint32_t tag(std::string_view name) {
  std::uint32_t value = 0;
  for (const char letter : name) {
    value = value << 8 | static_cast<std::uint8_t>(letter);
  }
  return value;
}

// Tables, besides `head`, that Face reads.
constexpr std::array kTables{
    tag("cmap"),
    tag("maxp"),
    tag("hhea"),
    tag("hmtx"),
    tag("loca"),
    tag("glyf"),
    tag("CFF ")};

} // namespace

std::vector<std::filesystem::path> font_folders() {
  std::vector<std::filesystem::path> folders;
  const auto variable = [](const char* name) {
    return std::filesystem::path(environment_variable(name));
  };
  if (const auto data = variable("XDG_DATA_HOME"); data.is_absolute()) {
    folders.push_back(data / "fonts");
  } else if (const auto home = variable("HOME"); home.is_absolute()) {
    folders.push_back(home / ".local/share/fonts");
  }
  folders.emplace_back("/usr/local/share/fonts");
  folders.emplace_back("/usr/share/fonts");
  return folders;
}

std::vector<FontFile> known_fonts(
    std::span<const std::filesystem::path> folders) {
  std::array<std::vector<FontFile>, kKnownFonts.size()> found;
  for (const std::filesystem::path& folder : folders) {
    std::error_code failed; // a missing folder has no fonts
    std::filesystem::recursive_directory_iterator file(
        folder,
        std::filesystem::directory_options::skip_permission_denied,
        failed);
    for (; !failed && file != std::filesystem::recursive_directory_iterator();
         file.increment(failed)) {
      const auto known = std::ranges::find(
          kKnownFonts, file->path().filename().native(), &KnownFont::name);
      if (known != kKnownFonts.end()) {
        found[static_cast<std::size_t>(known - kKnownFonts.begin())].push_back(
            {.path = file->path(), .number = known->number});
      }
    }
  }
  std::vector<FontFile> files;
  for (const std::vector<FontFile>& same : found) {
    files.insert(files.end(), same.begin(), same.end());
  }
  return files;
}

std::optional<std::size_t> whole_face(
    std::span<const std::uint8_t> bytes,
    int number) {
  const Reader file(bytes);
  std::size_t start = 0;
  if (file.u32(0) == tag("ttcf")) { // a font collection
    if (static_cast<std::uint32_t>(number) >= file.u32(8)) {
      return std::nullopt;
    }
    start = file.u32(12 + 4 * static_cast<std::size_t>(number));
  } else if (number != 0) {
    return std::nullopt;
  }
  const std::size_t tables = file.u16(start + 4);
  if (!file.has(start, 12 + 16 * tables)) {
    return std::nullopt;
  }
  bool has_head = false;
  for (std::size_t i = 0; i < tables; ++i) {
    const std::size_t row = start + 12 + 16 * i;
    const std::uint32_t name = file.u32(row);
    const std::size_t at = file.u32(row + 8);
    const std::size_t size = file.u32(row + 12);
    if (name == tag("head")) {
      // Its checksum is often wrong in collections; checks instead the values
      // that are used: units per em and the format of `loca`.
      has_head = size >= 54 && file.has(at, size) && file.u16(at + 18) >= 16 &&
          file.u16(at + 18) <= 16384 && file.u16(at + 50) <= 1;
    } else if (
        std::ranges::find(kTables, name) != kTables.end() &&
        (!file.has(at, size) || file.sum(at, size) != file.u32(row + 4))) {
      return std::nullopt;
    }
  }
  return has_head ? std::optional(start) : std::nullopt;
}

LoadedFont load_font(const FontFile& file) {
  LoadedFont font;
  try {
    font.bytes = read_file(file.path, kLargest, ExitCode::kData);
  } catch (const Error&) {
    return font; // an unreadable file has no font
  }
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(font.bytes.data());
  if (const auto start = whole_face({bytes, font.bytes.size()}, file.number)) {
    font.face = Face::open(bytes, *start);
  }
  return font;
}

} // namespace vitrain::pictures
