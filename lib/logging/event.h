#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "logging/picture.h"

namespace vitrain::logging {

// TensorBoard events as bytes, each the payload for tf_record(). Format:
// TensorFlow's event.proto, summary.proto and tensor.proto (proto3 wire format,
// fields in the order of their numbers, default values omitted). `wall_time`:
// seconds since the Unix epoch.

struct Hyperparameter {
  std::string key;
  std::variant<bool, double, std::string> value;
};

// Returns a TFRecord: length (u64), its masked CRC, the payload, its masked
// CRC, all little-endian (tensorflow/core/lib/io/record_writer.h).
std::string tf_record(std::string_view payload);

// Returns the checksum that TFRecord stores: CRC-32C (Castagnoli, reflected
// polynomial 0x82F63B78, RFC 3720 B.4), rotated right by 15 bits, plus
// 0xA282EAD8.
std::uint32_t masked_crc32c(std::string_view bytes);

// Returns the first event of every file: file_version "brain.Event:2".
std::string version_event(double wall_time);
// Returns an event with a point of the curve `tag`.
std::string scalar_event(
    double wall_time,
    std::int64_t step,
    std::string_view tag,
    float value);
// Returns an event with a Markdown text for TensorBoard's text page.
std::string text_event(
    double wall_time,
    std::int64_t step,
    std::string_view tag,
    std::string_view text);
// Returns an event with a picture for TensorBoard's images page.
std::string image_event(
    double wall_time,
    std::int64_t step,
    std::string_view tag,
    const Picture& picture);

// Return the events for TensorBoard's hparams page (api.proto and
// plugin_data.proto of its plugin): a run's hyperparameters, and its end. The
// page takes metrics from the curves.
std::string session_start_event(
    double wall_time,
    const std::vector<Hyperparameter>& parameters);
std::string session_end_event(double wall_time, bool success);

// Returns SessionLog START at `step`: readers discard events of earlier files
// with this or a later step, so that a resumed run's curves do not go back.
std::string restart_event(double wall_time, std::int64_t step);

// Returns a tag that is valid for every TensorBoard page and file system: keeps
// letters, digits and _ . -; '/' separates non-empty parts; a part "." or ".."
// becomes "_" or "__"; every other byte becomes '_'; "" becomes "_".
std::string safe_tag(std::string_view name);

} // namespace vitrain::logging
