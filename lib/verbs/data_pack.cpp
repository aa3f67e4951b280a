#include <unistd.h>

#include <algorithm>
#include <thread>

#include "core/check.h"
#include "core/text.h"
#include "data/kinds/datasets.h"
#include "data/pack.h"
#include "job/data_options.h"
#include "job/recipe_check.h"
#include "logging/console.h"
#include "logging/progress.h"
#include "verbs/verbs.h"

namespace vitrain::verbs {
namespace {

double mebibytes(std::int64_t bytes) {
  return static_cast<double>(bytes) / (1 << 20);
}

void print(const std::string& name, const data::PackReport& report) {
  fmt::print(
      "{}: {} images, {} packed, {} as they are; {:.1f} MiB became {:.1f} MiB "
      "({:.2f} x)\n",
      name,
      with_commas(report.images),
      with_commas(report.packed),
      with_commas(report.images - report.packed),
      mebibytes(report.bytes_before),
      mebibytes(report.bytes_after),
      static_cast<double>(report.bytes_after) /
          static_cast<double>(std::max<std::int64_t>(report.bytes_before, 1)));
  for (const std::filesystem::path& archive : report.archives) {
    fmt::print("  {}\n", printable(archive.native()));
  }
}

// Returns the options with which the command line reads a split from its
// archives, each after a blank: " -set data.train.kind=tar -set ...".
std::string settings(const char* split, const data::SourceOptions& source) {
  std::string text;
  const auto set = [&](const char* key, const std::string& value) {
    text += fmt::format(" -set data.{}.{}={}", split, key, value);
  };
  const auto path = [](const std::string& name) {
    return fmt::format("'{}'", printable(name));
  };
  set("kind", "tar");
  set("path", path(source.path));
  if (source.class_order == ClassOrder::kTimm) {
    set("class_order", "timm");
  }
  if (!source.class_map.empty()) {
    set("class_map", path(source.class_map));
  }
  if (!source.label.empty()) {
    set("label", source.label);
  }
  return text;
}

} // namespace

int data_pack(const config::Arguments& arguments) {
  const config::Recipe recipe =
      job::load_recipe(arguments.load_request()).recipe;
  logging::Console console({.log_fd = -1, .terminal_fd = STDERR_FILENO});
  std::string to_train;
  // Lists both datasets before one of them is packed.
  const auto list = [](const data::SourceOptions& listed) {
    auto index = std::make_shared<const data::Index>(data::list(listed));
    data::check_packable(*index);
    return index;
  };
  const data::SourceOptions of_train =
      job::source_options(recipe.data.train, /*train=*/true);
  const auto train = list(of_train);
  data::SourceOptions of_eval;
  std::shared_ptr<const data::Index> eval;
  if (!recipe.data.split) { // else data.eval is a part of data.train
    of_eval = job::evaluation_options(recipe.data.eval, *train);
    eval = list(of_eval);
  }
  const auto pack = [&](const char* name,
                        const data::SourceOptions& listed,
                        std::shared_ptr<const data::Index> index) {
    const auto source = data::open(std::move(index));
    data::PackReport report;
    {
      logging::WorkProgress progress(console, fmt::format("packing {}", name));
      report = data::pack(
          *source,
          {.folder = *arguments.data.out,
           .name = name,
           .class_order = listed.class_order,
           .class_map = !listed.class_map.empty(),
           .shard_bytes = arguments.data.shard_mb << 20,
           .threads = static_cast<int>(recipe.data.threads.value_or(
               std::max(1U, std::thread::hardware_concurrency()))),
           .progress = [&](std::int64_t done, std::int64_t all) {
             progress.update(done, all);
           }});
    }
    print(name, report);
    to_train += settings(name, report.source);
  };
  pack("train", of_train, train);
  if (eval) {
    pack("eval", of_eval, eval);
  }
  fmt::print("To train on them:{}\n", to_train);
  return 0;
}

int data_unpack(const config::Arguments& arguments) {
  std::int64_t files = 0;
  for (const std::string& archive : arguments.data.files) {
    const data::UnpackReport report =
        data::unpack(archive, *arguments.data.out);
    files += report.files;
    for (const std::string& note : report.notes) {
      fmt::print("{}: {}\n", printable(archive), note);
    }
  }
  fmt::print(
      "{} in {}\n", counted(files, "file"), printable(*arguments.data.out));
  return 0;
}

} // namespace vitrain::verbs
