// Build tool: count_models FILE writes a row of model_table.cpp for every model
// that `vitrain models` lists, so that this verb needs no torch.

#include <cstdio>
#include <exception>
#include <string>

#include <fmt/format.h>

#include "core/system/files.h"
#include "models/families/family.h"
#include "networks/tensors.h"

namespace {

std::string rows() {
  std::string text;
  for (const std::string& name : vitrain::models::listed_names()) {
    const vitrain::models::ModelCounts counts =
        vitrain::networks::counts_of(*vitrain::models::find_model(name));
    text += fmt::format(
        "{{\"{}\", {{{}, {}, {}}}}},\n",
        name,
        counts.parameters,
        counts.macs,
        counts.outputs);
  }
  return text;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: count_models FILE\n", stderr);
    return 2;
  }
  try {
    vitrain::write_file_atomically(argv[1], rows());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
