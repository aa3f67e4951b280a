#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "config/rules/stages.h"
#include "core/text.h"
#include "data/dump.h"
#include "job/data_options.h"
#include "job/recipe_check.h"
#include "models/resolve.h"
#include "results/output_file.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {
namespace {

// Returns the options for -resize, -filter, -pillow and -crop.
data::DumpOptions described(const config::DataArguments& arguments) {
  data::DumpOptions options{
      .resize = static_cast<int>(arguments.resize.value_or(0)),
      .filter = arguments.filter,
      .pillow = job::pillow(arguments.pillow)};
  if (arguments.crop && !arguments.resize) {
    options.crop = static_cast<int>(*arguments.crop);
  } else if (arguments.crop) {
    // Computes only the pixels of the crop.
    options.transform = data::TransformOptions{
        .size = static_cast<int>(*arguments.crop),
        .filter = options.filter,
        .pillow = options.pillow,
        .resize = options.resize};
  }
  return options;
}

data::DumpOptions of_recipe(const config::Arguments& arguments) {
  const config::Recipe recipe = config::recipe_in_epoch(
      job::load_recipe(arguments.load_request()).recipe,
      arguments.data.epoch + 1);
  // The number of classes does not affect pixels.
  const models::ModelSpec spec = models::resolve(
      recipe.model, {.outputs = recipe.model.num_classes.value_or(1000)});
  return {
      .transform = job::transform_options(recipe, spec, arguments.data.train),
      .epoch = arguments.data.epoch,
      .first_sample = arguments.data.index};
}

} // namespace

int data_dump(const config::Arguments& arguments) {
  const config::DataArguments& wanted = arguments.data;
  results::check_replaceable(
      "-out", *wanted.out, "a .npy file", [](std::string_view start) {
        return start.starts_with("\x93NUMPY");
      });
  results::OutputFile out(*wanted.out);
  const std::vector<std::string> clipped = data::dump_pixels(
      wanted.files,
      arguments.cfg ? of_recipe(arguments) : described(wanted),
      [&](std::string_view bytes) { out.write(bytes); });
  out.finish();
  for (const std::string& file : clipped) {
    fmt::print(
        stderr,
        "warning: {}: values outside 0 to 255 are clipped to black and white; "
        "try: data.preprocess.range in a recipe\n",
        printable(file));
  }
  std::fprintf(
      *wanted.out == "-" ? stderr : stdout,
      "%s: pixels of %zu file%s\n",
      printable(*wanted.out).c_str(),
      wanted.files.size(),
      wanted.files.size() == 1 ? "" : "s");
  return 0;
}

} // namespace vitrain::verbs
