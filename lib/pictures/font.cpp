#include "pictures/font.h"

#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "core/check.h"
#include "core/text.h"
#include "pictures/face.h"
#include "pictures/font_file.h"
#include "pictures/system_fonts.h"

namespace vitrain::pictures {
namespace {

constexpr int kSteps = 4; // number of positions of the pen within a pixel
constexpr const char* kDots = "\u2026";

// Returns the code points of a text after replacing invalid UTF-8.
std::vector<int> code_points(std::string_view text) {
  const std::string valid = valid_utf8(text);
  std::vector<int> codes;
  for (std::size_t i = 0; i < valid.size();) {
    const auto lead = static_cast<unsigned char>(valid[i]);
    const std::size_t bytes = lead < 0x80 ? 1
        : lead < 0xE0                     ? 2
        : lead < 0xF0                     ? 3
                                          : 4;
    int code = bytes == 1 ? lead : lead & (0xFF >> (bytes + 1));
    for (std::size_t k = 1; k < bytes; ++k) {
      code = code << 6 | (static_cast<unsigned char>(valid[i + k]) & 0x3F);
    }
    codes.push_back(code);
    i += bytes;
  }
  return codes;
}

// Removes a number of code points from the end of a text, or from its start if
// `at_start`.
std::string_view
without(std::string_view text, std::size_t letters, bool at_start) {
  const auto goes_on = [&](std::size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) >> 6) == 2;
  };
  for (; letters > 0 && !text.empty(); --letters) {
    std::size_t cut = 1;
    const auto place = [&] { return at_start ? cut : text.size() - cut; };
    while (cut < text.size() && goes_on(place())) {
      ++cut;
    }
    text = at_start ? text.substr(cut) : text.substr(0, place());
  }
  return text;
}

// A glyph of one of the fonts.
struct Letter {
  const Face* face = nullptr;
  int glyph = 0;
};

// DejaVu Sans, with fonts of this machine for the characters that it lacks.
// These are searched, and read one by one, when such a character is needed.
class Font {
 public:
  static Font& get() {
    static Font font;
    return font;
  }

  // Calls visit(letter, pen) for each character. Returns the width of the text.
  template <typename Visit>
  double walk(std::string_view text, double size, Visit visit) {
    double pen = 0;
    Letter before;
    for (const int code : code_points(text)) {
      const Letter letter = letter_of(code);
      // Only for the built-in font, since kerning tables of the machine's fonts
      // are not checked.
      if (before.face == own_.get() && letter.face == own_.get()) {
        pen += own_->kerning(before.glyph, letter.glyph, size);
      }
      visit(letter, pen);
      pen += letter.face->advance(letter.glyph, size);
      before = letter;
    }
    return pen;
  }

  PlacedGlyph placed(const Letter& letter, double pen, double size) {
    const auto steps = static_cast<int>(std::lround(pen * kSteps));
    const int whole =
        steps >= 0 ? steps / kSteps : (steps - kSteps + 1) / kSteps;
    return {&drawn(letter, size, steps - whole * kSteps), whole};
  }

 private:
  Font() : own_(Face::open(font_file().data(), 0)) {
    VITRAIN_CHECK(
        own_ != nullptr,
        ExitCode::kInternal,
        "the font in the program cannot be read");
  }

  Letter letter_of(int code) {
    if (const int glyph = own_->glyph(code); glyph != 0) {
      return {own_.get(), glyph};
    }
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = others_.try_emplace(code);
    if (is_new) {
      found->second = look_for(code);
    }
    return found->second;
  }

  // Finds a character in the machine's fonts; if no font has it, returns
  // DejaVu's box. Requires mutex_.
  Letter look_for(int code) {
    for (std::size_t i = 0; const Face* face = system_face(i); ++i) {
      if (const int glyph = face->glyph(code); glyph != 0) {
        return {face, glyph};
      }
    }
    return {own_.get(), 0};
  }

  // Returns the i-th readable font of the machine; null if there are fewer.
  // Requires mutex_.
  const Face* system_face(std::size_t i) {
    if (!files_) {
      files_ = known_fonts(font_folders());
    }
    while (loaded_.size() <= i && next_file_ < files_->size()) {
      LoadedFont font = load_font((*files_)[next_file_++]);
      if (font.face != nullptr) {
        loaded_.push_back(std::move(font));
      }
    }
    return i < loaded_.size() ? loaded_[i].face.get() : nullptr;
  }

  const Glyph& drawn(const Letter& letter, double size, int step) {
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] =
        glyphs_.try_emplace({letter.face, letter.glyph, size, step});
    if (is_new) {
      found->second = letter.face->draw(
          letter.glyph, size, static_cast<double>(step) / kSteps);
    }
    return found->second;
  }

  std::unique_ptr<Face> own_;
  std::mutex mutex_; // guards all members below
  std::optional<std::vector<FontFile>> files_; // set after the first search
  std::size_t next_file_ = 0;
  std::vector<LoadedFont> loaded_;
  std::map<int, Letter> others_; // from system fonts, by code point
  std::map<std::tuple<const Face*, int, double, int>, Glyph> glyphs_;
};

std::string
fit(std::string_view text, double size, double room, bool at_start) {
  if (text_width(text, size) <= room) {
    return std::string(text);
  }
  std::string result = kDots;
  // Binary search for the number of code points to remove, since texts may be
  // long.
  std::size_t few = 0;
  std::size_t many = text.size();
  while (many - few > 1) {
    const std::size_t middle = (few + many) / 2;
    const std::string_view rest = without(text, middle, at_start);
    const std::string tried =
        at_start ? kDots + std::string(rest) : std::string(rest) + kDots;
    if (text_width(tried, size) <= room) {
      result = tried;
      many = middle;
    } else {
      few = middle;
    }
  }
  return result;
}

} // namespace

std::vector<PlacedGlyph> place_glyphs(std::string_view text, double size) {
  std::vector<PlacedGlyph> glyphs;
  Font& font = Font::get();
  font.walk(text, size, [&](const Letter& letter, double pen) {
    glyphs.push_back(font.placed(letter, pen, size));
  });
  return glyphs;
}

double text_width(std::string_view text, double size) {
  return Font::get().walk(text, size, [](const Letter&, double) {});
}

std::string fit_text(std::string_view text, double size, double room) {
  return fit(text, size, room, /*at_start=*/false);
}

std::string fit_path(std::string_view path, double size, double room) {
  return fit(path, size, room, /*at_start=*/true);
}

} // namespace vitrain::pictures
