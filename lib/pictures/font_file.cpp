#include "pictures/font_file.h"

// Embeds the file by the assembler, since C++20 has no #embed.
asm(".pushsection .rodata\n"
    ".balign 16\n"
    ".global vitrain_font_file\n"
    ".hidden vitrain_font_file\n"
    ".global vitrain_font_file_end\n"
    ".hidden vitrain_font_file_end\n"
    "vitrain_font_file:\n"
    ".incbin \"" VITRAIN_FONT "\"\n"
    "vitrain_font_file_end:\n"
    ".byte 0\n"
    ".popsection\n");

// Symbols defined by the assembler.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" const std::uint8_t vitrain_font_file[];
extern "C" const std::uint8_t vitrain_font_file_end[];
// NOLINTEND(readability-identifier-naming)

namespace vitrain::pictures {

std::span<const std::uint8_t> font_file() {
  return {vitrain_font_file, vitrain_font_file_end};
}

} // namespace vitrain::pictures
