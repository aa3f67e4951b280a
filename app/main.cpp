// What people start: the verbs that need no torch, whose libraries take 0.2 s
// to load; it supervises those that train. For everything else, and as a
// worker, this process becomes the program with torch (exec), which lies beside
// it.

#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "core/check.h"
#include "core/files.h"
#include "core/text.h"
#include "launch/processes/descriptors.h"
#include "verbs/verbs.h"

namespace {

[[noreturn]] void become_program_with_torch(char** argv) {
  const std::filesystem::path program =
      vitrain::executable_path().parent_path() / vitrain::kProgramWithTorch;
  ::execv(program.c_str(), argv);
  vitrain::fail(
      vitrain::ExitCode::kInternal,
      "cannot start {}: {}; install vitrain again",
      vitrain::printable(program.native()),
      vitrain::error_text(errno));
}

int run(int argc, char** argv) {
  const bool worker = argc > 1 && std::string_view(argv[1]) == "--worker";
  if (!worker) {
    auto arguments = vitrain::config::parse_arguments(argc - 1, argv + 1);
    const std::string command_line =
        vitrain::join(std::vector<std::string>(argv, argv + argc), " ");
    if (const auto code =
            vitrain::verbs::without_torch(arguments, command_line)) {
      return *code;
    }
  }
  become_program_with_torch(argv);
}

} // namespace

int main(int argc, char** argv) {
  vitrain::launch::open_missing_standard_streams();
  return vitrain::verbs::exit_code_of_program([&] { return run(argc, argv); });
}
