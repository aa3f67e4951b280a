#include "program/run.h"

#include <cstdio>
#include <new>
#include <string_view>

#include "core/error.h"
#include "core/text.h"
#include "engine/run/worker.h"
#include "launch/processes/descriptors.h"
#include "launch/processes/error_file.h"
#include "program/verbs.h"
#include "verbs/verbs.h"

namespace vitrain::program {
namespace {

using config::Verb;

int run_verb(int argc, char** argv) {
  auto arguments = config::parse_arguments(argc - 1, argv + 1);
  if (arguments.version) {
    return version();
  }
  if (const auto code = verbs::quick_verb(arguments)) {
    return *code;
  }
  switch (arguments.verb) {
    case Verb::kTrain:
    case Verb::kEval: {
      const std::vector<std::string> words(argv, argv + argc);
      return train(arguments, join(words, " "));
    }
    case Verb::kConfigCheck:
    case Verb::kConfigShow:
    case Verb::kConfigReference:
    case Verb::kConfigFromTimm:
    case Verb::kConfigFromTorchvision:
    case Verb::kDevices:
    case Verb::kCompletion:
    case Verb::kMan:
      break; // quick_verb() has done it
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
    case Verb::kModels:
      return models(arguments);
    case Verb::kWeightsShow:
    case Verb::kWeightsDiff:
    case Verb::kWeightsConvert:
    case Verb::kWeightsAverage:
      return weights(arguments);
    case Verb::kExport:
      return export_verb(arguments);
    case Verb::kPredict:
      return predict(arguments);
    case Verb::kReport:
      return report(arguments);
    case Verb::kRuns:
      return runs(arguments);
    case Verb::kShow:
      return show(arguments);
  }
  return static_cast<int>(ExitCode::kInternal);
}

} // namespace

int run(int argc, char** argv) {
  launch::open_missing_standard_streams();
  try {
    if (argc > 1 && std::string_view(argv[1]) == "--worker") {
      return engine::run_worker();
    }
    return run_verb(argc, argv);
  } catch (const std::bad_alloc&) {
    constexpr const char* kText =
        "out of memory before any worker was started: reading the recipe and "
        "listing the data takes some 100 bytes for each sample";
    std::fprintf(stderr, "%s\n", kText);
    launch::write_error_file(kText);
    return static_cast<int>(ExitCode::kOutOfMemory);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    launch::write_error_file(error.what());
    return static_cast<int>(exit_code_of(error));
  }
}

} // namespace vitrain::program
