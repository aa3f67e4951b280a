#include <cstdio>
#include <new>
#include <utility>

#include "core/error.h"
#include "launch/processes/error_file.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {

std::optional<int> without_torch(
    config::Arguments& arguments,
    const Invocation& invocation) {
  using config::Verb;
  if (arguments.version) {
    return std::nullopt; // torch's is part of it
  }
  if (arguments.help) {
    const std::string text =
        arguments.verb_given ? config::help(arguments.verb) : config::help();
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  arguments = with_run_recipe(std::move(arguments));
  switch (arguments.verb) {
    case Verb::kTrain:
    case Verb::kEval:
      return train(arguments, invocation);
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
    case Verb::kModels:
    case Verb::kWeightsShow:
    case Verb::kWeightsDiff:
    case Verb::kWeightsConvert:
    case Verb::kWeightsAverage:
    case Verb::kExport:
    case Verb::kPredict:
      break;
  }
  return std::nullopt;
}

int exit_code_of_program(const std::function<int()>& program) {
  const auto report_error = [](const char* text) {
    std::fprintf(stderr, "%s\n", text);
    launch::write_error_file(text);
  };
  try {
    return program();
  } catch (const std::bad_alloc&) {
    report_error(
        "out of memory before any worker was started: reading the recipe and "
        "listing the data takes some 100 bytes for each sample");
    return static_cast<int>(ExitCode::kOutOfMemory);
  } catch (const std::exception& error) {
    report_error(error.what());
    return static_cast<int>(exit_code_of(error));
  }
}

} // namespace vitrain::verbs
