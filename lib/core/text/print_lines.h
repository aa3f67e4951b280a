#pragma once

#include <cstdio>
#include <span>
#include <string>

namespace vitrain {

inline void print_lines(std::FILE* to, std::span<const std::string> lines) {
  for (const std::string& line : lines) {
    std::fprintf(to, "%s\n", line.c_str());
  }
}

} // namespace vitrain
