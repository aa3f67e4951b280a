#include "program/run.h"

#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/system/print_lines.h"
#include "core/system/terminal.h"
#include "core/text.h"
#include "core/url.h"
#include "engine/report/dry_run.h"
#include "engine/run/worker.h"
#include "launch/processes/descriptors.h"
#include "program/torch_verbs.h"
#include "verbs/verbs.h"

namespace vitrain::program {
namespace {

using config::Verb;

void print_dry_run(const job::PreparedJob& prepared, bool has_weights) {
  print_lines(stdout, prepared.notes);
  const int terminal = terminal_columns(STDOUT_FILENO);
  const std::string text = terminal == 0
      ? engine::dry_run(prepared, has_weights)
      : engine::dry_run(prepared, has_weights, terminal);
  std::fputs(message_for(STDOUT_FILENO, text).c_str(), stdout);
}

int run_verb(int argc, char** argv) {
  auto arguments = config::parse_arguments(argc - 1, argv + 1);
  if (arguments.version) {
    return version();
  }
  const verbs::Invocation invocation{
      .command_line = hide_user_info(
          join(std::vector<std::string>(argv, argv + argc), " ")),
      .print_dry_run = print_dry_run,
      .count_models = count_models};
  if (const auto code = verbs::without_torch(arguments, invocation)) {
    return *code;
  }
  switch (arguments.verb) {
    case Verb::kWeightsShow:
    case Verb::kWeightsDiff:
    case Verb::kWeightsConvert:
    case Verb::kWeightsAverage:
      return weights(arguments);
    case Verb::kExport:
      return export_verb(arguments);
    case Verb::kPredict:
      return predict(arguments);
    default: // handled by without_torch()
      return static_cast<int>(ExitCode::kInternal);
  }
}

} // namespace

int run(int argc, char** argv) {
  launch::open_missing_standard_streams();
  return verbs::exit_code_of_program([&] {
    return argc > 1 && std::string_view(argv[1]) == "--worker"
        ? engine::run_worker()
        : run_verb(argc, argv);
  });
}

} // namespace vitrain::program
