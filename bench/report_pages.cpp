#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "config/load/writer.h"
#include "core/system/clock.h"
#include "report/page/write_report.h"
#include "report/runs/run_record.h"

namespace {

constexpr int kEpochs = 300;
constexpr int kSteps = 1000; // per epoch; every 50th is recorded
constexpr int kEvery = 50;
constexpr std::size_t kPicture = std::size_t{1} << 20; // bytes

// Writes the records of one epoch, as a run does.
void write_epoch(std::ofstream& file, int epoch) {
  for (int step = kEvery; step <= kSteps; step += kEvery) {
    const int at = epoch * kSteps + step;
    file << fmt::format(
        R"({{"kind":"train","step":{0},"epoch":{1},"batch":{2},"loss":{3},"count":6400,"lr":{4},"step_seconds":0.1,"images_per_second":{5},"data_wait":0.001,"comm_bytes":88000000,"comm_seconds":0.01,"comm_busy_seconds":0.05,"comm_wait":0.1,"grad_norm":1.25,"samples_hash":"0123456789abcdef","top1":{3},"top5":{3}}})"
        "\n",
        at,
        epoch + 1,
        step,
        6.9 * std::exp(-1e-5 * at) + 0.1 * std::sin(at),
        1e-3 * std::cos(5e-6 * at),
        1280.5 + std::sin(0.1 * at));
  }
  file << fmt::format(
      R"({{"kind":"eval","step":{},"epoch":{},"weights":"raw","count":50000,"seconds":12.5,"loss":1.5,"top1":{},"top5":95.5,"correct1":40000}})"
      "\n",
      (epoch + 1) * kSteps,
      epoch + 1,
      80 - 70 * std::exp(-0.02 * epoch));
  file.flush();
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

} // namespace

// usage: report_pages FOLDER
// Creates an artificial run of 300 epochs in FOLDER and writes its report after
// each of the last 50 epochs, as a running process does. Prints the seconds per
// page (median, largest), and for a page that first reads all records again.
int main(int argc, char** argv) {
  using namespace vitrain;
  if (argc != 2) {
    std::fprintf(stderr, "usage: report_pages FOLDER\n");
    return 2;
  }
  const job::RunDirectory run{std::filesystem::path(argv[1]) / "run"};
  std::filesystem::create_directories(run.path);
  std::ofstream(run.config()) << config::to_yaml(config::Recipe{});
  std::string picture = "\x89PNG\r\n\x1a\n";
  picture.resize(kPicture, 'x');
  std::ofstream(run.path / "samples.png", std::ios::binary) << picture;
  std::ofstream file(run.metrics());
  file
      << R"({"kind":"start","mode":"train","steps_per_epoch":1000,"total_steps":300000})"
      << "\n";
  report::RecordReader reader(run.metrics());
  std::vector<double> pages;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    write_epoch(file, epoch);
    if (epoch >= kEpochs - 50) {
      const Stopwatch watch;
      reader.update();
      const report::Run now = report::open_run(run.path, reader.records());
      report::write_report({&now, 1}, report::report_file(run));
      pages.push_back(watch.seconds());
    }
  }
  const Stopwatch watch;
  const report::Run whole = report::open_run(run.path);
  report::write_report({&whole, 1}, report::report_file(run));
  std::printf(
      "page: median %.4f s, at most %.4f s; with all records read anew %.4f s; "
      "%.2f MB\n",
      median({pages.begin() + 1, pages.end()}),
      *std::ranges::max_element(pages.begin() + 1, pages.end()),
      watch.seconds(),
      static_cast<double>(
          std::filesystem::file_size(report::report_file(run))) /
          1e6);
  return 0;
}
