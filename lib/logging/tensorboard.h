#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "logging/event.h"
#include "logging/record_sink.h"

namespace vitrain::logging {

// Writer of a new TensorBoard event file in a folder, events.out.tfevents.<unix
// seconds>.<host>.<pid>.<n>, where n counts up from 0 to an unused name. Never
// throws: events that cannot be written are dropped and counted by sink().
class TensorBoardWriter {
 public:
  // With `resumed_step`, readers discard what earlier files in the folder
  // contain about later steps.
  explicit TensorBoardWriter(
      const std::filesystem::path& folder,
      std::optional<std::int64_t> resumed_step = std::nullopt);

  // Tags are passed through safe_tag(); numbers are stored as float.
  void scalar(std::string_view tag, double value, std::int64_t step);
  void text(std::string_view tag, std::string_view markdown, std::int64_t step);

  void image(std::string_view tag, const Picture& picture, std::int64_t step);
  // Record the run's hyperparameters, and how it ended.
  void begin_session(const std::vector<Hyperparameter>& parameters);
  void end_session(bool success);

  const std::filesystem::path& path() const { return path_; }
  const RecordSink& sink() const { return sink_; }

 private:
  std::filesystem::path path_;
  RecordSink sink_;
};

} // namespace vitrain::logging
