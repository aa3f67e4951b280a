#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "logging/records/picture.h"

namespace vitrain::logging {

// TensorBoard's events as bytes. Format: TensorFlow's event.proto,
// summary.proto and tensor.proto (proto3 wire format, fields in order of their
// numbers, default values left out), each in one TFRecord.

struct Hyperparameter {
  std::string key;
  std::variant<bool, double, std::string> value;
};

// A TFRecord: length (u64), its masked CRC, the payload, its masked CRC, all
// little-endian (tensorflow/core/lib/io/record_writer.h).
std::string tf_record(std::string_view payload);

// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78, RFC 3720 B.4) of bytes,
// rotated right by 15 bits plus 0xA282EAD8, as TFRecord stores it.
std::uint32_t masked_crc32c(std::string_view bytes);

// The first event of every file: file_version "brain.Event:2".
std::string version_event(double wall_time);
// One number for the curve `tag`.
std::string scalar_event(
    double wall_time,
    std::int64_t step,
    std::string_view tag,
    float value);
// A Markdown text for TensorBoard's text page.
std::string text_event(
    double wall_time,
    std::int64_t step,
    std::string_view tag,
    std::string_view text);
// A picture, as the bytes of a PNG file, for TensorBoard's images page.
std::string image_event(
    double wall_time,
    std::int64_t step,
    std::string_view tag,
    const Picture& picture);

// Events with a run's hyper-parameters for TensorBoard's hparams page (its
// plugin's api.proto and plugin_data.proto), which takes the metrics from the
// curves; and with the run's end.
std::string session_start_event(
    double wall_time,
    const std::vector<Hyperparameter>& parameters);
std::string session_end_event(double wall_time, bool success);

// SessionLog START at `step`: readers forget events of earlier files from that
// step on, so a resumed run's curves do not run back.
std::string restart_event(double wall_time, std::int64_t step);

// A tag that every TensorBoard page and file system takes: letters, digits and
// _ . - stay, '/' separates non-empty parts, a part "." or ".." becomes "_" or
// "__", every other byte becomes '_', and "" becomes "_".
std::string safe_tag(std::string_view name);

} // namespace vitrain::logging
