#include "engine/train/bad_samples.h"

#include <algorithm>
#include <utility>

#include "dist/group/collectives.h"

namespace vitrain::engine {

void BadSamples::write_to(
    const std::filesystem::path& file,
    std::int64_t step) {
  logging::truncate_jsonl_after(file, step);
  file_ = file;
}

void BadSamples::restore(
    const std::vector<std::int64_t>& saved,
    std::int64_t replaced) {
  for (const std::int64_t sample : saved) {
    ledger_.add(sample);
  }
  own_ = ledger_;
  replaced_ = replaced;
}

Json BadSamples::to_json() const {
  return ledger_.samples();
}

void BadSamples::take(std::int64_t step, std::span<const data::BadSample> bad) {
  replaced_ += std::ssize(bad);
  for (const data::BadSample& one : bad) {
    if (!own_.add(one.sample)) {
      continue;
    }
    pending_.push_back(to_line(
        {{"step", step},
         {"epoch", one.epoch + 1},
         {"sample", one.sample},
         {"path", one.where},
         {"reason", one.reason},
         {"replacement", one.replacement}}));
    own_.check(one);
  }
}

GatheredBadSamples BadSamples::gather(dist::Group& control) {
  std::vector<Json> records;
  for (const auto& lines : dist::all_gather(control, pending_)) {
    for (const std::string& line : lines) {
      records.push_back(Json::parse(line));
    }
  }
  pending_.clear();
  // Order in which a single worker would have found them.
  std::ranges::stable_sort(records, {}, [](const Json& record) {
    return std::pair(
        record.at("step").get<std::int64_t>(),
        record.at("sample").get<std::int64_t>());
  });
  GatheredBadSamples gathered;
  std::optional<data::BadSample> last;
  for (const Json& record : records) {
    const auto sample = record.at("sample").get<std::int64_t>();
    if (!ledger_.add(sample)) {
      continue; // found by two workers
    }
    own_.add(sample);
    write(record);
    ++gathered.found;
    last = data::BadSample{
        .sample = sample,
        .where = record.at("path"),
        .reason = record.at("reason")};
    ledger_.check(*last);
  }
  gathered.total = ledger_.count();
  if (last) {
    gathered.example = last->where + ": " + last->reason;
  }
  return gathered;
}

void BadSamples::write(const Json& record) {
  if (file_.empty()) {
    return;
  }
  if (!writer_) {
    writer_.emplace(file_);
  }
  writer_->write(record);
}

} // namespace vitrain::engine
