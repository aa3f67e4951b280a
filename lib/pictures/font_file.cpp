#include "pictures/font_file.h"

// C++20 has no #embed.
asm(".pushsection .rodata\n"
    ".balign 16\n"
    ".global vitrain_font_file\n"
    ".hidden vitrain_font_file\n"
    "vitrain_font_file:\n"
    ".incbin \"" VITRAIN_FONT "\"\n"
    ".byte 0\n"
    ".popsection\n");

// NOLINTNEXTLINE(readability-identifier-naming): the assembler's name
extern "C" const std::uint8_t vitrain_font_file[];

namespace vitrain::pictures {

const std::uint8_t* font_file() {
  return vitrain_font_file;
}

} // namespace vitrain::pictures
