#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "config/rules/plan.h"
#include "config/rules/stages.h"
#include "core/check.h"
#include "core/system/files.h"
#include "core/text.h"
#include "data/load/loader.h"
#include "data/sources/sample_labels.h"
#include "image/formats/png_write.h"
#include "job/data_options.h"
#include "job/list_data.h"
#include "job/recipe_check.h"
#include "models/resolve.h"
#include "pictures/contact_sheet.h"
#include "results/output_file.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {
namespace {

// Returns the first `count` samples of an epoch, or all if it has fewer.
std::vector<data::Draw> first_draws(
    const data::Sampler& sampler,
    std::int64_t micro_batches,
    std::int64_t epoch,
    std::int64_t count) {
  std::vector<data::Draw> draws;
  for (std::int64_t step = 0; step < sampler.steps_per_epoch(); ++step) {
    for (std::int64_t k = 0; k < micro_batches; ++k) {
      for (const data::Draw& draw : sampler.micro_batch(epoch, step, k)) {
        if (std::ssize(draws) == count) {
          return draws;
        }
        draws.push_back(draw);
      }
    }
  }
  return draws;
}

void print_legend(
    const data::Batch& batch,
    const data::Rows& rows,
    std::int64_t columns,
    std::int64_t before) {
  for (std::int64_t i = 0; i < batch.count; ++i) {
    const auto place = static_cast<std::size_t>(i);
    const std::string line = fmt::format(
        "{} {} {} {} {}\n",
        (before + i) / columns + 1,
        (before + i) % columns + 1,
        batch.draws[place].sample,
        printable(data::label_names(rows.index(), batch.draws[place].sample)),
        rows.describe(batch.draws[place].sample));
    std::fputs(line.c_str(), stdout);
  }
  for (const data::BadSample& bad : batch.bad) {
    std::printf(
        "sample %lld is bad, and %lld is in its place: %s: %s\n",
        static_cast<long long>(bad.sample),
        static_cast<long long>(bad.replacement),
        bad.where.c_str(),
        bad.reason.c_str());
  }
  if (batch.clipped > 0) {
    fmt::print(
        "{} of {} images have values outside 0 to 255, which are clipped to "
        "black and white, as {}; try: data.preprocess.range\n",
        batch.clipped,
        batch.count,
        rows.describe(batch.clipped_sample));
  }
}

// Returns the possible captions of images: names of classes, or for samples
// with several labels, the names of these joined.
std::vector<std::string> captions_of(
    const std::vector<data::Draw>& shown,
    const data::Index& index) {
  std::vector<std::string> captions = index.classes();
  if (index.has_label_sets()) {
    for (const data::Draw& draw : shown) {
      captions.push_back(data::label_names(index, draw.sample));
    }
  }
  return captions;
}

// Draws the images and prints their legend, in batches, so that memory does not
// grow with their number.
pictures::ContactSheet draw_sheet(
    const std::vector<data::Draw>& shown,
    const data::Rows& rows,
    const config::Recipe& recipe,
    const models::ModelSpec& spec) {
  constexpr std::int64_t kBatch = 64;
  data::Loader loader(
      rows,
      [&](std::int64_t sequence, std::vector<data::Draw>& draws) {
        const std::int64_t first =
            std::min(sequence * kBatch, std::ssize(shown));
        const std::int64_t end = std::min(first + kBatch, std::ssize(shown));
        draws.assign(shown.begin() + first, shown.begin() + end);
        return first < end;
      },
      {.threads = static_cast<int>(recipe.data.threads.value_or(1)),
       .depth = 1,
       .capacity = kBatch,
       .bad_samples = job::bad_sample_policy(recipe, /*train=*/true)});
  pictures::ContactSheet sheet(
      std::ssize(shown),
      {static_cast<int>(spec.image_size.width),
       static_cast<int>(spec.image_size.height)},
      static_cast<int>(spec.channels),
      pictures::caption_width(captions_of(shown, rows.index())));
  std::printf("row column sample class path\n");
  std::int64_t before = 0;
  while (const data::Batch* batch = loader.next()) {
    for (std::int64_t i = 0; i < batch->count; ++i) {
      const auto place = static_cast<std::size_t>(i);
      sheet.add(
          batch->rows.subspan(place * rows.bytes(), rows.bytes()),
          data::label_names(rows.index(), batch->draws[place].sample));
    }
    print_legend(*batch, rows, sheet.columns(), before);
    before += batch->count;
  }
  return sheet;
}

} // namespace

int data_show(const config::Arguments& arguments) {
  const std::filesystem::path out = arguments.data.out.value_or("sheet.png");
  const std::string extension = out.extension().native();
  VITRAIN_CHECK(
      extension.empty() || extension == ".png" || extension == ".PNG",
      ExitCode::kUsage,
      "-out {}: the sheet is a PNG file; give a name that ends in .png",
      printable(out.native()));
  results::check_replaceable("-out", out, results::kDrawn, image::is_drawn_png);
  const config::Recipe recipe =
      job::load_recipe(arguments.load_request()).recipe;
  const auto index =
      std::make_shared<const data::Index>(job::list_training_data(recipe));
  VITRAIN_CHECK(
      index->options().kind != data::SourceKind::kVectors,
      ExitCode::kUsage,
      "data show: the samples of kind vectors are no images");
  const config::Recipe stage =
      config::recipe_in_epoch(recipe, arguments.data.epoch + 1);
  const models::ModelSpec spec = models::in_training(
      stage.data.augment,
      models::resolve(stage.model, job::data_shape(*index)));
  const auto rows = data::open_rows(
      index, job::transform_options(stage, spec, /*train=*/true));
  const std::int64_t devices = training_devices(arguments, recipe);
  const auto samplers = job::make_samplers(recipe, index.get(), devices);
  const std::vector<data::Draw> shown = first_draws(
      samplers->of_epoch(arguments.data.epoch),
      config::plan_batch(recipe, devices).parts() * recipe.train.accumulate,
      arguments.data.epoch,
      arguments.data.count);
  const pictures::ContactSheet sheet = draw_sheet(shown, *rows, recipe, spec);
  results::OutputFile file(out);
  file.write(image::encode_png(sheet.image()));
  file.finish();
  if (sheet.tile().height < spec.image_size.height) {
    std::printf(
        "reduced from %s to %s pixels each, so that a sheet of so many "
        "can be looked at\n",
        spec.image_size.text().c_str(),
        ImageSize(sheet.tile().height, sheet.tile().width).text().c_str());
  }
  std::printf("%s\n", printable(out.native()).c_str());
  return 0;
}

} // namespace vitrain::verbs
