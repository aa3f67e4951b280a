#pragma once

#include <cstdint>
#include <filesystem>

#include "core/json.h"
#include "logging/record_sink.h"

namespace vitrain::logging {

// metrics.jsonl: one JSON object per line, appended by one write each.
class JsonlWriter {
 public:
  // Never throws; see RecordSink for what happens to records that cannot be
  // written.
  explicit JsonlWriter(const std::filesystem::path& path)
      : sink_(RecordSink::open(path)) {}

  void write(const Json& record) { sink_.write(to_line(record) + "\n"); }
  const RecordSink& sink() const { return sink_; }

 private:
  RecordSink sink_;
};

// Makes a metrics.jsonl continue at `step` (that of the checkpoint a run is
// resumed from): removes the first record with a larger "step" and all that
// follow it, and every line that is not a whole JSON object (a crash can tear
// the last one). A missing file is left missing. Returns the number of lines
// removed; throws Error(kStorage).
std::int64_t truncate_jsonl_after(
    const std::filesystem::path& path,
    std::int64_t step);

} // namespace vitrain::logging
