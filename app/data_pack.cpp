#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "config/load.h"
#include "core/check.h"
#include "core/text.h"
#include "data/pack.h"
#include "data_verbs.h"
#include "engine/data_options.h"
#include "logging/console.h"
#include "logging/work.h"

namespace vitrain::app {
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

} // namespace

int data_pack(const config::Arguments& arguments) {
  const config::Recipe recipe = config::load(arguments.load_request()).recipe;
  logging::Console console({.log_fd = -1, .terminal_fd = STDERR_FILENO});
  const auto pack = [&](const char* name, const auto& from, bool train) {
    const auto source = data::open(std::make_shared<const data::Index>(
        data::list(engine::source_options(from, train))));
    data::PackReport report;
    {
      logging::WorkProgress progress(console, fmt::format("packing {}", name));
      report = data::pack(
          *source,
          {.folder = *arguments.data.out,
           .name = name,
           .shard_bytes = arguments.data.shard_mb << 20,
           .threads = static_cast<int>(recipe.data.threads.value_or(
               std::max(1U, std::thread::hardware_concurrency()))),
           .progress = [&](std::int64_t done, std::int64_t all) {
             progress.update(done, all);
           }});
    }
    print(name, report);
  };
  pack("train", recipe.data.train, /*train=*/true);
  pack("eval", recipe.data.eval, /*train=*/false);
  fmt::print(
      "To train on them: -set data.train.kind=tar "
      "-set data.train.path='{0}/train-*.tar' -set data.eval.kind=tar "
      "-set data.eval.path='{0}/eval-*.tar'\n",
      printable(*arguments.data.out));
  return 0;
}

int data_unpack(const config::Arguments& arguments) {
  std::int64_t files = 0;
  for (const std::string& archive : arguments.data.files) {
    files += data::unpack(archive, *arguments.data.out);
  }
  fmt::print(
      "{} files in {}\n", with_commas(files), printable(*arguments.data.out));
  return 0;
}

} // namespace vitrain::app
