#include "core/system/print_lines.h"

#include "core/columns.h"
#include "core/system/terminal.h"
#include "core/url.h"

namespace vitrain {

std::string message_for(int fd, std::string_view text) {
  const int columns = terminal_columns(fd);
  const std::string shown = hide_user_info(text);
  return columns == 0 ? shown : wrap_message(shown, columns);
}

void print_message(std::FILE* to, std::string_view text) {
  std::fputs((message_for(::fileno(to), text) + "\n").c_str(), to);
}

void print_lines(std::FILE* to, std::span<const std::string> lines) {
  for (const std::string& line : lines) {
    print_message(to, line);
  }
}

} // namespace vitrain
