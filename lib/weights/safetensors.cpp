#include <cstring>

#include "weights/safetensors_header.h"
#include "weights/weight_formats.h"
#include "weights/weights_check.h"

namespace vitrain::weights {
namespace {

constexpr std::int64_t kLengthBytes = 8; // length of the header, before it

std::string header_text(const InputFile& file) {
  VITRAIN_CHECK_WEIGHTS(
      file.size() >= kLengthBytes,
      "{}: not a file of weights: it has only {} bytes",
      file.source(),
      file.size());
  std::uint64_t length = 0;
  file.read(&length, kLengthBytes, 0);
  VITRAIN_CHECK_WEIGHTS(
      length <= kHeaderLimit,
      "{}: not a safetensors file: a header of {} bytes (at most {})",
      file.source(),
      length,
      kHeaderLimit);
  VITRAIN_CHECK_WEIGHTS(
      length <= static_cast<std::uint64_t>(file.size() - kLengthBytes),
      "{}: the header has {} bytes, the file only {} after its length: "
      "truncated, or not a safetensors file",
      file.source(),
      length,
      file.size() - kLengthBytes);
  return file.read(static_cast<std::int64_t>(length), kLengthBytes);
}

class Safetensors : public Archive {
 public:
  explicit Safetensors(InputFile opened) : file_(std::move(opened)) {
    source = file_.source();
    format = "safetensors";
    const std::string text = header_text(file_);
    const std::int64_t start =
        kLengthBytes + static_cast<std::int64_t>(text.size());
    SafetensorsHeader header = parse_header(text, file_.size() - start, source);
    metadata = std::move(header.metadata);
    for (TensorEntry& entry : header.tensors) {
      StoredTensor& tensor = tensors[entry.name];
      tensor.type = find_dtype(entry.dtype);
      tensor.parts = {
          {.storage = storages.size(),
           .shape = entry.shape,
           .strides = contiguous_strides(entry.shape)}};
      tensor.shape = std::move(entry.shape);
      offsets_.push_back(start + entry.begin);
      storages.push_back(entry.end - entry.begin);
    }
  }

  void read(std::size_t storage, void* bytes) const override {
    file_.read(bytes, storages.at(storage), offsets_[storage]);
  }

 private:
  InputFile file_;
  std::vector<std::int64_t> offsets_;
};

} // namespace

std::unique_ptr<Archive> open_safetensors(InputFile file) {
  return std::make_unique<Safetensors>(std::move(file));
}

} // namespace vitrain::weights
