#include "logging/event.h"

#include <array>
#include <bit>

#include <protozero/pbf_writer.hpp>
#include "core/ascii.h"
#include "core/text.h"

namespace vitrain::logging {
namespace {

using protozero::pbf_writer;

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78U : 0U);
    }
    table[byte] = crc;
  }
  return table;
}

constexpr auto kCrcTable = make_crc_table();

// Field numbers of TensorBoard's protocol buffers.
enum Field : protozero::pbf_tag_type {
  kEventWallTime = 1,
  kEventStep = 2,
  kEventFileVersion = 3,
  kEventSummary = 5,
  kEventSessionLog = 7,
  kSessionLogStatus = 1,
  kSummaryValue = 1,
  kValueTag = 1,
  kValueSimpleValue = 2,
  kValueImage = 4,
  kValueTensor = 8,
  kValueMetadata = 9,
  kImageHeight = 1,
  kImageWidth = 2,
  kImageColours = 3,
  kImageBytes = 4,
  kMetadataPluginData = 1,
  kPluginDataName = 1,
  kPluginDataContent = 2,
  kHparamsStart = 3, // in HParamsPluginData
  kHparamsEnd = 4,
  kStartParameters = 1,
  kStartSeconds = 5,
  kEndStatus = 1,
  kEndSeconds = 2,
  kEntryKey = 1, // in a map
  kEntryValue = 2,
  kValueNumber = 2, // in google.protobuf.Value
  kValueString = 3,
  kValueBool = 4,
  kTensorDtype = 1,
  kTensorShape = 2,
  kTensorStringVal = 8,
  kShapeDim = 2,
  kDimSize = 1,
};
// Values of TensorBoard's enumerations.
constexpr int kSessionStart = 1;
constexpr int kDtString = 7;
constexpr int kRgb = 3;
constexpr int kStatusSuccess = 1;
constexpr int kStatusFailure = 2;

template <typename Integer>
void append_little_endian(std::string& out, Integer value) {
  for (std::size_t i = 0; i < sizeof(value); ++i) {
    out.push_back(static_cast<char>((value >> (8 * i)) & 0xFF));
  }
}

// Returns an event, without a step if that is 0, with the fields that `fill`
// adds to it.
template <typename Fill>
std::string event(double wall_time, std::int64_t step, const Fill& fill) {
  std::string bytes;
  pbf_writer event(bytes);
  event.add_double(kEventWallTime, wall_time);
  if (step != 0) {
    event.add_int64(kEventStep, step);
  }
  fill(event);
  return bytes;
}

// Returns an event with one value, to which `fill` adds fields.
template <typename Fill>
std::string value_event(
    double wall_time,
    std::int64_t step,
    std::string_view tag,
    const Fill& fill) {
  return event(wall_time, step, [&](pbf_writer& event) {
    pbf_writer summary(event, kEventSummary);
    pbf_writer value(summary, kSummaryValue);
    value.add_string(kValueTag, valid_utf8(tag));
    fill(value);
  });
}

void add_plugin(
    pbf_writer& value,
    const char* name,
    const std::string& content) {
  pbf_writer metadata(value, kValueMetadata);
  pbf_writer plugin(metadata, kMetadataPluginData);
  plugin.add_string(kPluginDataName, name);
  if (!content.empty()) {
    plugin.add_bytes(kPluginDataContent, content);
  }
}

void add_parameter(pbf_writer& start, const Hyperparameter& parameter) {
  pbf_writer entry(start, kStartParameters);
  entry.add_string(kEntryKey, valid_utf8(parameter.key));
  pbf_writer value(entry, kEntryValue);
  if (const bool* truth = std::get_if<bool>(&parameter.value)) {
    value.add_bool(kValueBool, *truth);
  } else if (const double* number = std::get_if<double>(&parameter.value)) {
    value.add_double(kValueNumber, *number);
  } else {
    value.add_string(
        kValueString, valid_utf8(std::get<std::string>(parameter.value)));
  }
}

// Returns an event that the hparams plugin identifies by its tag. Its message
// `field` has the fields that `fill` adds.
template <typename Fill>
std::string hparams_event(
    double wall_time,
    const char* tag,
    Field field,
    const Fill& fill) {
  std::string content;
  pbf_writer data(content);
  {
    pbf_writer message(data, field);
    fill(message);
  }
  return value_event(wall_time, /*step=*/0, tag, [&](pbf_writer& value) {
    add_plugin(value, "hparams", content);
  });
}

} // namespace

std::uint32_t masked_crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char byte : bytes) {
    crc =
        (crc >> 8) ^ kCrcTable[(crc ^ static_cast<unsigned char>(byte)) & 0xFF];
  }
  return std::rotr(~crc, 15) + 0xA282EAD8U;
}

std::string tf_record(std::string_view payload) {
  std::string record;
  append_little_endian(record, static_cast<std::uint64_t>(payload.size()));
  append_little_endian(record, masked_crc32c(record));
  record += payload;
  append_little_endian(record, masked_crc32c(payload));
  return record;
}

std::string version_event(double wall_time) {
  return event(wall_time, /*step=*/0, [](pbf_writer& event) {
    event.add_string(kEventFileVersion, "brain.Event:2");
  });
}

std::string scalar_event(
    double wall_time,
    std::int64_t step,
    std::string_view tag,
    float number) {
  return value_event(wall_time, step, tag, [&](pbf_writer& value) {
    value.add_float(kValueSimpleValue, number);
  });
}

std::string text_event(
    double wall_time,
    std::int64_t step,
    std::string_view tag,
    std::string_view text) {
  return value_event(wall_time, step, tag, [&](pbf_writer& value) {
    {
      pbf_writer tensor(value, kValueTensor);
      tensor.add_enum(kTensorDtype, kDtString);
      {
        pbf_writer shape(tensor, kTensorShape);
        pbf_writer(shape, kShapeDim).add_int64(kDimSize, 1);
      }
      tensor.add_bytes(kTensorStringVal, valid_utf8(text));
    }
    add_plugin(value, "text", "");
  });
}

std::string image_event(
    double wall_time,
    std::int64_t step,
    std::string_view tag,
    const Picture& picture) {
  return value_event(wall_time, step, tag, [&](pbf_writer& value) {
    pbf_writer image(value, kValueImage);
    image.add_int64(kImageHeight, picture.height);
    image.add_int64(kImageWidth, picture.width);
    image.add_enum(kImageColours, kRgb);
    image.add_bytes(kImageBytes, picture.png);
  });
}

std::string session_start_event(
    double wall_time,
    const std::vector<Hyperparameter>& parameters) {
  return hparams_event(
      wall_time,
      "_hparams_/session_start_info",
      kHparamsStart,
      [&](pbf_writer& start) {
        for (const Hyperparameter& parameter : parameters) {
          add_parameter(start, parameter);
        }
        start.add_double(kStartSeconds, wall_time);
      });
}

std::string session_end_event(double wall_time, bool success) {
  return hparams_event(
      wall_time,
      "_hparams_/session_end_info",
      kHparamsEnd,
      [&](pbf_writer& end) {
        end.add_enum(kEndStatus, success ? kStatusSuccess : kStatusFailure);
        end.add_double(kEndSeconds, wall_time);
      });
}

std::string restart_event(double wall_time, std::int64_t step) {
  return event(wall_time, step, [](pbf_writer& event) {
    pbf_writer(event, kEventSessionLog)
        .add_enum(kSessionLogStatus, kSessionStart);
  });
}

std::string safe_tag(std::string_view name) {
  const auto safe = [](char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '-';
  };
  std::string tag;
  for (std::string part : split(name, '/')) {
    for (char& c : part) {
      c = safe(c) ? c : '_';
    }
    if (part == "." || part == "..") {
      part.assign(part.size(), '_');
    }
    if (!part.empty()) {
      tag += (tag.empty() ? "" : "/") + part;
    }
  }
  return tag.empty() ? "_" : tag;
}

} // namespace vitrain::logging
