#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "core/system/files.h"
#include "core/system/print_lines.h"
#include "core/system/terminal.h"
#include "launch/processes/error_file.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {
namespace {

void report_error(const char* text) {
  print_message(stderr, text);
  launch::write_error_file(text);
}

// Returns true if standard output has no reader any more: a closed pipe (`|
// head`) or a closed terminal.
bool reader_is_gone() {
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&output, 1, /*timeout=*/0) > 0 &&
      (output.revents & (POLLERR | POLLHUP)) != 0;
}

// Returns true if all output was written, or the reader has stopped reading,
// which is no failure; otherwise prints an error.
bool all_is_printed() {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  const int reason = errno;
  if ((flushed && std::ferror(stdout) == 0) || reason == EPIPE ||
      reader_is_gone()) {
    return true;
  }
  const std::string text = fmt::format(
      "the standard output cannot be written{}: what is there is not whole",
      flushed ? "" : ": " + error_text(reason));
  report_error(text.c_str());
  return false;
}

std::string help_for(const config::Arguments& arguments) {
  const int terminal = terminal_columns(STDOUT_FILENO);
  const int columns = terminal == 0 ? config::kHelpColumns
                                    : std::min(terminal, config::kHelpColumns);
  if (arguments.verb_given) {
    return config::help(arguments.verb, columns);
  }
  return arguments.verb_group.empty()
      ? config::help(columns)
      : config::help(arguments.verb_group, columns);
}

} // namespace

std::optional<int> without_torch(
    config::Arguments& arguments,
    const Invocation& invocation) {
  using config::Verb;
  if (arguments.version) {
    return std::nullopt; // needs torch: it includes torch's version
  }
  if (arguments.help) {
    std::fputs(message_for(STDOUT_FILENO, help_for(arguments)).c_str(), stdout);
    return 0;
  }
  arguments = with_run_recipe(std::move(arguments));
  switch (arguments.verb) {
    case Verb::kTrain:
    case Verb::kEval:
      return train(arguments, invocation);
    case Verb::kModels:
      return models_verb(arguments, invocation);
    case Verb::kConfigCheck:
    case Verb::kConfigShow:
    case Verb::kConfigReference:
      return config_verb(arguments);
    case Verb::kConfigFromTimm:
    case Verb::kConfigFromTorchvision:
      return config_from(arguments);
    case Verb::kDevices:
      return devices();
    case Verb::kCompletion:
      return completion(arguments);
    case Verb::kMan:
      return man();
    case Verb::kDataOrder:
      return data_order(arguments);
    case Verb::kDataCheck:
      return data_check(arguments);
    case Verb::kDataShow:
      return data_show(arguments);
    case Verb::kDataDump:
      return data_dump(arguments);
    case Verb::kDataPack:
      return data_pack(arguments);
    case Verb::kDataUnpack:
      return data_unpack(arguments);
    case Verb::kReport:
      return report(arguments);
    case Verb::kRuns:
      return runs(arguments);
    case Verb::kShow:
      return show(arguments);
    case Verb::kWeightsFetch:
      return weights_fetch(arguments);
    default: // needs torch
      break;
  }
  return std::nullopt;
}

int exit_code_of_program(const std::function<int()>& program) {
  int code = 0;
  try {
    code = program();
  } catch (const std::bad_alloc&) {
    report_error(
        "out of memory before any worker was started: reading the recipe and "
        "listing the data takes some 100 bytes for each sample");
    code = static_cast<int>(ExitCode::kOutOfMemory);
  } catch (const std::exception& error) {
    report_error(error.what());
    code = static_cast<int>(exit_code_of(error));
  }
  return all_is_printed() || code != 0 ? code
                                       : static_cast<int>(ExitCode::kStorage);
}

} // namespace vitrain::verbs
