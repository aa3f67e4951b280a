#include <cstdio>
#include <new>
#include <string_view>

#include "core/error.h"
#include "core/text.h"
#include "engine/run/worker.h"
#include "launch/processes/descriptors.h"
#include "launch/processes/error_file.h"
#include "verbs.h"

namespace {

using vitrain::config::Verb;

int run(int argc, char** argv) {
  auto arguments = vitrain::config::parse_arguments(argc - 1, argv + 1);
  if (arguments.version) {
    return vitrain::app::version();
  }
  if (const auto code = vitrain::app::quick_verb(arguments)) {
    return *code;
  }
  switch (arguments.verb) {
    case Verb::kTrain:
    case Verb::kEval: {
      const std::vector<std::string> words(argv, argv + argc);
      return vitrain::app::train(arguments, vitrain::join(words, " "));
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
      return vitrain::app::data_order(arguments);
    case Verb::kDataCheck:
      return vitrain::app::data_check(arguments);
    case Verb::kDataShow:
      return vitrain::app::data_show(arguments);
    case Verb::kDataDump:
      return vitrain::app::data_dump(arguments);
    case Verb::kDataPack:
      return vitrain::app::data_pack(arguments);
    case Verb::kDataUnpack:
      return vitrain::app::data_unpack(arguments);
    case Verb::kModels:
      return vitrain::app::models(arguments);
    case Verb::kWeightsShow:
    case Verb::kWeightsDiff:
    case Verb::kWeightsConvert:
    case Verb::kWeightsAverage:
      return vitrain::app::weights(arguments);
    case Verb::kExport:
      return vitrain::app::export_verb(arguments);
    case Verb::kPredict:
      return vitrain::app::predict(arguments);
    case Verb::kReport:
      return vitrain::app::report(arguments);
    case Verb::kRuns:
      return vitrain::app::runs(arguments);
    case Verb::kShow:
      return vitrain::app::show(arguments);
  }
  return static_cast<int>(vitrain::ExitCode::kInternal);
}

} // namespace

int main(int argc, char** argv) {
  vitrain::launch::open_missing_standard_streams();
  try {
    if (argc > 1 && std::string_view(argv[1]) == "--worker") {
      return vitrain::engine::run_worker();
    }
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    constexpr const char* kText =
        "out of memory before any worker was started: reading the recipe and "
        "listing the data takes some 100 bytes for each sample";
    std::fprintf(stderr, "%s\n", kText);
    vitrain::launch::write_error_file(kText);
    return static_cast<int>(vitrain::ExitCode::kOutOfMemory);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    vitrain::launch::write_error_file(error.what());
    return static_cast<int>(vitrain::exit_code_of(error));
  }
}
