// What `vitrain` is once installed: help and the verbs that need no torch,
// whose libraries take 0.2 s to load. For everything else this process becomes
// the whole program (exec), which lies beside it.

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>

#include "core/check.h"
#include "core/files.h"
#include "core/text.h"
#include "launch/processes/descriptors.h"
#include "launch/processes/error_file.h"
#include "verbs/verbs.h"

namespace {

int run(int argc, char** argv) {
  const bool worker = argc > 1 && std::string_view(argv[1]) == "--worker";
  if (!worker) {
    auto arguments = vitrain::config::parse_arguments(argc - 1, argv + 1);
    if (const auto code = vitrain::verbs::quick_verb(arguments)) {
      return *code;
    }
  }
  const std::filesystem::path program =
      vitrain::executable_path().parent_path() / "vitrain";
  ::execv(program.c_str(), argv);
  throw vitrain::Error(
      vitrain::ExitCode::kInternal,
      fmt::format(
          "cannot start {}: {}; install vitrain again",
          vitrain::printable(program.native()),
          std::generic_category().message(errno)));
}

} // namespace

int main(int argc, char** argv) {
  vitrain::launch::open_missing_standard_streams();
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    vitrain::launch::write_error_file(error.what());
    return static_cast<int>(vitrain::exit_code_of(error));
  }
}
