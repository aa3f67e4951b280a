#include <cstring>

#include "core/text.h"
#include "weights/numpy.h"
#include "weights/pickle.h"
#include "weights/state_dict.h"
#include "weights/weight_formats.h"
#include "weights/weights_check.h"

namespace vitrain::weights {
namespace {

using Kind = PickleValue::Kind;
using Ref = PickleValue::Ref;

// Values of an array in the pickle. In protocol 2 bytes are stored as text:
// each byte is a Latin-1 code point, in UTF-8.
struct ArrayBytes {
  std::string_view text;
  bool latin1 = false;
};

bool is_numpy(const PickleValue& global, std::string_view name) {
  return global.is(Kind::kGlobal) &&
      (global.text == fmt::format("numpy.core.{}", name) ||
       global.text == fmt::format("numpy._core.{}", name));
}

// Returns the array of a tensor: `value` itself, or the second item of a pair
// (name, array); null if it is neither.
Ref array_of(const PickleValue& value) {
  Ref pair = &value;
  if ((value.is_call("builtins.tuple") || value.is_call("__builtin__.tuple")) &&
      value.arguments->items.size() == 1) {
    pair = value.arguments->items.front();
  }
  Ref array = pair;
  if (pair->is(Kind::kTuple) && pair->items.size() == 2 &&
      pair->items[0]->is(Kind::kText)) {
    array = pair->items[1];
  }
  const bool is_array = array->is(Kind::kCall) &&
      is_numpy(*array->callee, "multiarray._reconstruct") &&
      array->state != nullptr && array->state->is(Kind::kTuple) &&
      array->state->items.size() == 5;
  return is_array ? array : nullptr;
}

// Parses numpy.dtype('f4', False, True) with state (3, '<', ...). Returns false
// for anything else.
bool parse_type(const PickleValue& value, ArrayHeader& header) {
  if (!value.is_call("numpy.dtype") || value.arguments->items.empty() ||
      !value.arguments->items[0]->is(Kind::kText)) {
    return false;
  }
  std::string type(value.arguments->items[0]->text);
  if (value.state != nullptr && value.state->items.size() > 1 &&
      value.state->items[1]->text == ">") {
    type.insert(0, ">");
  }
  return parse_array_type(type, header);
}

ArrayBytes bytes_of(const PickleValue& value) {
  const bool encoded = value.is_call("_codecs.encode") &&
      !value.arguments->items.empty() &&
      value.arguments->items[0]->is(Kind::kText);
  if (encoded) {
    return {.text = value.arguments->items[0]->text, .latin1 = true};
  }
  return {.text = value.text};
}

// Decodes UTF-8 of code points below 256 to bytes; only counts them if `bytes`
// is null. Returns their number; -1 for invalid text.
std::int64_t decode_latin1(std::string_view text, unsigned char* bytes) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i, ++count) {
    auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x80) {
      if ((byte != 0xC2 && byte != 0xC3) || i + 1 == text.size()) {
        return -1;
      }
      const auto low = static_cast<unsigned char>(text[++i]);
      byte = static_cast<unsigned char>((byte & 3) << 6 | (low & 0x3F));
    }
    if (bytes != nullptr) {
      bytes[count] = byte;
    }
  }
  return count;
}

class Paddle : public Archive {
 public:
  Paddle(const InputFile& file, const std::string& part)
      : bytes_(file.read(file.size(), /*offset=*/0)),
        pickle_(bytes_, file.source()) {
    source = file.source();
    format = "PaddlePaddle";
    StateDict dict = find_state_dict(
        pickle_.root(),
        [](const PickleValue& value) { return array_of(value) != nullptr; },
        part,
        source);
    notes = std::move(dict.notes);
    for (const auto& [name, value] : dict.tensors) {
      add(name, *array_of(*value));
    }
  }

  void read(std::size_t storage, void* bytes) const override {
    const auto& [values, swapped] = values_.at(storage);
    if (values.latin1) {
      decode_latin1(values.text, static_cast<unsigned char*>(bytes));
    } else {
      std::memcpy(bytes, values.text.data(), values.text.size());
    }
    swap_bytes(bytes, storages[storage], swapped);
  }

 private:
  // Adds an array: _reconstruct(ndarray, (0,), b'b') with state (1, shape,
  // type, fortran, values).
  void add(const std::string& name, const PickleValue& array) {
    const std::string what =
        fmt::format("{}: tensor '{}'", source, printable(name));
    const auto& state = array.state->items;
    ArrayHeader header;
    VITRAIN_CHECK_WEIGHTS(
        parse_type(*state[2], header),
        "{}: its NumPy array does not hold numbers",
        what);
    for (const Ref size : state[1]->items) {
      VITRAIN_CHECK_WEIGHTS(
          size->is(Kind::kInteger) && size->integer >= 0,
          "{}: its shape is not whole numbers",
          what);
      header.shape.push_back(size->integer);
    }
    VITRAIN_CHECK_WEIGHTS(
        name.find("@@.") == name.npos,
        "{}: is a slice of a tensor of over 1 GiB; save with protocol=4",
        what);
    header.fortran = state[3]->integer != 0;
    // PaddlePaddle stores bfloat16 as uint16, a type that it does not have
    // itself.
    if (header.type == find_dtype("U16")) {
      header.type = find_dtype("BF16");
    }
    const ArrayBytes values = bytes_of(*state[4]);
    const bool counted = count_array_bytes(header);
    const std::int64_t there = values.latin1
        ? decode_latin1(values.text, nullptr)
        : std::ssize(values.text);
    VITRAIN_CHECK_WEIGHTS(
        counted && header.bytes == there,
        "{}: its shape needs {} bytes, there are {}",
        what,
        header.bytes,
        there);
    tensors[name] = stored_array(header, storages.size());
    storages.push_back(header.bytes);
    values_.emplace_back(values, header.swapped);
  }

  const std::string bytes_;
  const Pickle pickle_;
  std::vector<std::pair<ArrayBytes, std::int64_t>> values_; // one per storage
};

} // namespace

std::unique_ptr<Archive> open_paddle(InputFile file, const std::string& part) {
  return std::make_unique<Paddle>(file, part);
}

} // namespace vitrain::weights
