#include "logging/event.h"

#include <array>
#include <bit>

#include "core/ascii.h"
#include "core/text.h"

namespace vitrain::logging {
namespace {

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

// Field numbers of messages.
constexpr int kEventWallTime = 1;
constexpr int kEventStep = 2;
constexpr int kEventFileVersion = 3;
constexpr int kEventSummary = 5;
constexpr int kEventSessionLog = 7;
constexpr int kSessionLogStatus = 1;
constexpr int kSummaryValue = 1;
constexpr int kValueTag = 1;
constexpr int kValueSimpleValue = 2;
constexpr int kValueImage = 4;
constexpr int kImageHeight = 1;
constexpr int kImageWidth = 2;
constexpr int kImageColours = 3;
constexpr int kImageBytes = 4;
constexpr int kValueTensor = 8;
constexpr int kValueMetadata = 9;
constexpr int kMetadataPluginData = 1;
constexpr int kPluginDataName = 1;
constexpr int kPluginDataContent = 2;
constexpr int kHparamsStart = 3; // in HParamsPluginData
constexpr int kHparamsEnd = 4;
constexpr int kStartParameters = 1;
constexpr int kStartSeconds = 5;
constexpr int kEndStatus = 1;
constexpr int kEndSeconds = 2;
constexpr int kEntryKey = 1; // in a map
constexpr int kEntryValue = 2;
constexpr int kValueNumber = 2; // in google.protobuf.Value
constexpr int kValueString = 3;
constexpr int kValueBool = 4;
constexpr int kTensorDtype = 1;
constexpr int kTensorShape = 2;
constexpr int kTensorStringVal = 8;
constexpr int kShapeDim = 2;
constexpr int kDimSize = 1;
// Values of enums.
constexpr std::uint64_t kSessionStart = 1;
constexpr std::uint64_t kDtString = 7;
constexpr std::uint64_t kRgb = 3;
constexpr std::uint64_t kStatusSuccess = 1;
constexpr std::uint64_t kStatusFailure = 2;

template <typename Integer>
void append_little_endian(std::string& out, Integer value) {
  for (std::size_t i = 0; i < sizeof(value); ++i) {
    out.push_back(static_cast<char>((value >> (8 * i)) & 0xFF));
  }
}

// Builder of a protobuf message. Omits zeros, as proto3 does.
class Message {
 public:
  Message& integer(int field, std::uint64_t value) {
    if (value != 0) {
      tag(field, /*wire_type=*/0);
      varint(value);
    }
    return *this;
  }
  Message& number(int field, double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    if (bits != 0) {
      tag(field, /*wire_type=*/1);
      append_little_endian(bytes_, bits);
    }
    return *this;
  }
  // Members of a oneof, which are written even if they are zero.
  Message& present_bool(int field, bool value) {
    tag(field, /*wire_type=*/0);
    varint(value ? 1 : 0);
    return *this;
  }
  Message& present_double(int field, double value) {
    tag(field, /*wire_type=*/1);
    append_little_endian(bytes_, std::bit_cast<std::uint64_t>(value));
    return *this;
  }
  Message& present_number(int field, float value) {
    tag(field, /*wire_type=*/5);
    append_little_endian(bytes_, std::bit_cast<std::uint32_t>(value));
    return *this;
  }
  Message& text(int field, std::string_view value) {
    tag(field, /*wire_type=*/2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(int field, const Message& inner) {
    return text(field, inner.bytes_);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void tag(int field, int wire_type) {
    varint(
        (static_cast<std::uint64_t>(field) << 3) |
        static_cast<std::uint64_t>(wire_type));
  }
  void varint(std::uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<char>((value & 0x7F) | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

Message event(double wall_time, std::int64_t step) {
  return Message()
      .number(kEventWallTime, wall_time)
      .integer(kEventStep, static_cast<std::uint64_t>(step));
}

std::string
summary_event(double wall_time, std::int64_t step, const Message& value) {
  return event(wall_time, step)
      .message(kEventSummary, Message().message(kSummaryValue, value))
      .bytes();
}

// Returns a google.protobuf.Value.
Message value_of(const std::variant<bool, double, std::string>& value) {
  Message message;
  if (const bool* truth = std::get_if<bool>(&value)) {
    message.present_bool(kValueBool, *truth);
  } else if (const double* number = std::get_if<double>(&value)) {
    message.present_double(kValueNumber, *number);
  } else {
    message.text(kValueString, valid_utf8(std::get<std::string>(value)));
  }
  return message;
}

// Returns an event that the hparams plugin identifies by its tag.
std::string hparams_event(
    double wall_time,
    std::string_view tag,
    const Message& plugin_data) {
  const Message metadata = Message().message(
      kMetadataPluginData,
      Message()
          .text(kPluginDataName, "hparams")
          .text(kPluginDataContent, plugin_data.bytes()));
  const Message value =
      Message().text(kValueTag, tag).message(kValueMetadata, metadata);
  return summary_event(wall_time, /*step=*/0, value);
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
  return event(wall_time, /*step=*/0)
      .text(kEventFileVersion, "brain.Event:2")
      .bytes();
}

std::string scalar_event(
    double wall_time,
    std::int64_t step,
    std::string_view tag,
    float value) {
  const Message scalar = Message()
                             .text(kValueTag, valid_utf8(tag))
                             .present_number(kValueSimpleValue, value);
  return summary_event(wall_time, step, scalar);
}

std::string text_event(
    double wall_time,
    std::int64_t step,
    std::string_view tag,
    std::string_view text) {
  const Message shape =
      Message().message(kShapeDim, Message().integer(kDimSize, 1));
  const Message tensor = Message()
                             .integer(kTensorDtype, kDtString)
                             .message(kTensorShape, shape)
                             .text(kTensorStringVal, valid_utf8(text));
  const Message metadata = Message().message(
      kMetadataPluginData, Message().text(kPluginDataName, "text"));
  const Message value = Message()
                            .text(kValueTag, valid_utf8(tag))
                            .message(kValueTensor, tensor)
                            .message(kValueMetadata, metadata);
  return summary_event(wall_time, step, value);
}

std::string image_event(
    double wall_time,
    std::int64_t step,
    std::string_view tag,
    const Picture& picture) {
  const Message image =
      Message()
          .integer(kImageHeight, static_cast<std::uint64_t>(picture.height))
          .integer(kImageWidth, static_cast<std::uint64_t>(picture.width))
          .integer(kImageColours, kRgb)
          .text(kImageBytes, picture.png);
  const Message value =
      Message().text(kValueTag, valid_utf8(tag)).message(kValueImage, image);
  return summary_event(wall_time, step, value);
}

std::string session_start_event(
    double wall_time,
    const std::vector<Hyperparameter>& parameters) {
  Message start;
  for (const Hyperparameter& parameter : parameters) {
    start.message(
        kStartParameters,
        Message()
            .text(kEntryKey, valid_utf8(parameter.key))
            .message(kEntryValue, value_of(parameter.value)));
  }
  start.number(kStartSeconds, wall_time);
  return hparams_event(
      wall_time,
      "_hparams_/session_start_info",
      Message().message(kHparamsStart, start));
}

std::string session_end_event(double wall_time, bool success) {
  const Message end =
      Message()
          .integer(kEndStatus, success ? kStatusSuccess : kStatusFailure)
          .number(kEndSeconds, wall_time);
  return hparams_event(
      wall_time,
      "_hparams_/session_end_info",
      Message().message(kHparamsEnd, end));
}

std::string restart_event(double wall_time, std::int64_t step) {
  return event(wall_time, step)
      .message(
          kEventSessionLog, Message().integer(kSessionLogStatus, kSessionStart))
      .bytes();
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
