// The program that users start. It runs the verbs that need no torch, whose
// libraries take 0.2 s to load, and supervises workers, which are processes of
// vitrain_torch in the same folder. For all other verbs, this process becomes
// that program (exec).

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"
#include "launch/processes/descriptors.h"
#include "model_table.h"
#include "verbs/verbs.h"

namespace {

// Opens the program with torch and keeps it open, so that a worker that is
// restarted hours later is of the same build, even if another build has been
// installed since. Returns a path to it.
std::filesystem::path open_program_with_torch() {
  std::filesystem::path path =
      vitrain::executable_path().replace_filename(vitrain::kProgramWithTorch);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd >= 0) { // otherwise starting it reports that it is missing
    path = fmt::format("/proc/self/fd/{}", fd);
  }
  return path;
}

int run(int argc, char** argv) {
  auto arguments = vitrain::config::parse_arguments(argc - 1, argv + 1);
  const std::filesystem::path with_torch = open_program_with_torch();
  const vitrain::verbs::Invocation invocation{
      .command_line =
          vitrain::join(std::vector<std::string>(argv, argv + argc), " "),
      .worker_program = with_torch,
      .count_models = vitrain::app::counts_in_table};
  if (const auto code = vitrain::verbs::without_torch(arguments, invocation)) {
    return *code;
  }
  ::execv(with_torch.c_str(), argv);
  vitrain::fail(
      vitrain::ExitCode::kInternal,
      "cannot start {}: {}; install vitrain again",
      vitrain::printable(with_torch.native()),
      vitrain::error_text(errno));
}

} // namespace

int main(int argc, char** argv) {
  vitrain::launch::open_missing_standard_streams();
  return vitrain::verbs::exit_code_of_program([&] { return run(argc, argv); });
}
