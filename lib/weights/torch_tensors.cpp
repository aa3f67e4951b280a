#include "weights/torch_tensors.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/text.h"
#include "weights/state_dict.h"
#include "weights/weights_check.h"

namespace vitrain::weights {
namespace {

using Kind = PickleValue::Kind;
using Ref = PickleValue::Ref;

struct TypeRow {
  std::string_view storage; // name in torch, such as FloatStorage
  std::string_view scalar; // name in torch, such as float32
  const char* ours;
};
constexpr auto kTypes = std::to_array<TypeRow>({
    {"FloatStorage", "float32", "F32"},
    {"HalfStorage", "float16", "F16"},
    {"BFloat16Storage", "bfloat16", "BF16"},
    {"DoubleStorage", "float64", "F64"},
    {"LongStorage", "int64", "I64"},
    {"IntStorage", "int32", "I32"},
    {"ShortStorage", "int16", "I16"},
    {"CharStorage", "int8", "I8"},
    {"ByteStorage", "uint8", "U8"},
    {"BoolStorage", "bool", "BOOL"},
    {"ComplexFloatStorage", "complex64", "C64"},
    {"", "uint16", "U16"},
    {"", "uint32", "U32"},
    {"", "uint64", "U64"},
    {"", "float8_e4m3fn", "F8_E4M3"},
    {"", "float8_e5m2", "F8_E5M2"},
});

constexpr std::size_t kMostDimensions = 32;

const DType* find_type(
    const PickleValue& global,
    std::string_view TypeRow::*name) {
  if (!global.is(Kind::kGlobal)) {
    return nullptr;
  }
  for (const TypeRow& row : kTypes) {
    if (!(row.*name).empty() && global.text.starts_with("torch.") &&
        global.text.substr(6) == row.*name) {
      return find_dtype(row.ours);
    }
  }
  return nullptr;
}

bool is_untyped(const PickleValue& global) {
  return global.is_global("torch.storage.UntypedStorage") ||
      global.is_global("torch.UntypedStorage");
}

// Returns the call that creates the tensor, which may be nested in calls that
// create a Parameter or a subclass; null if there is none.
Ref rebuild_call(const PickleValue& value) {
  Ref call = &value;
  for (int i = 0; i < 4; ++i) {
    if (!call->is(Kind::kCall) || call->callee->kind != Kind::kGlobal) {
      return nullptr;
    }
    const std::string_view name = call->callee->text;
    const auto& items = call->arguments->items;
    if (name == "torch._utils._rebuild_tensor_v2" ||
        name == "torch._utils._rebuild_tensor" ||
        name == "torch._utils._rebuild_tensor_v3") {
      return call;
    }
    const bool parameter = name == "torch._utils._rebuild_parameter" ||
        name == "torch._utils._rebuild_parameter_with_state" ||
        name == "torch.nn.parameter.Parameter";
    if (!parameter || items.empty()) {
      return nullptr;
    }
    call = items.front();
  }
  return nullptr;
}

// A call of a rebuild function: its name and arguments, unwrapped from
// _rebuild_from_type_v2(function, type, arguments, state).
struct Rebuild {
  std::string_view function;
  const std::vector<Ref>* arguments = nullptr;
};

Rebuild rebuild_of(const PickleValue& value) {
  if (value.is_call("torch._tensor._rebuild_from_type_v2") &&
      value.arguments->items.size() == 4) {
    const auto& items = value.arguments->items;
    if (items[0]->is(Kind::kGlobal) && items[2]->is(Kind::kTuple)) {
      if (items[0]->text == "torch._utils._rebuild_parameter" &&
          !items[2]->items.empty()) {
        if (const Ref call = rebuild_call(*items[2]->items.front())) {
          return {call->callee->text, &call->arguments->items};
        }
        return {};
      }
      return {items[0]->text, &items[2]->items};
    }
    return {};
  }
  if (const Ref call = rebuild_call(value)) {
    return {call->callee->text, &call->arguments->items};
  }
  return {};
}

std::vector<std::int64_t> sizes_of(
    const PickleValue& value,
    const std::string& what) {
  // torch.Size is a tuple; in some files, a call with a tuple as argument.
  const PickleValue& tuple =
      value.is_call("torch.Size") && value.arguments->items.size() == 1
      ? *value.arguments->items.front()
      : value;
  const bool numbers = (tuple.is(Kind::kTuple) || tuple.is(Kind::kList)) &&
      tuple.items.size() <= kMostDimensions &&
      std::ranges::all_of(tuple.items, [](Ref item) {
                         return item->is(Kind::kInteger) && item->integer >= 0;
                       });
  VITRAIN_CHECK_WEIGHTS(
      numbers, "{}: its sizes or strides are not whole numbers from 0", what);
  std::vector<std::int64_t> sizes;
  for (const Ref item : tuple.items) {
    sizes.push_back(item->integer);
  }
  return sizes;
}

// Throws Error(kWeights) unless every element of the view is in its storage of
// `count` elements, and the view has no more elements than the storage.
void check_place(
    const StridedPart& part,
    std::int64_t count,
    const std::string& what) {
  bool fits = part.shape.size() == part.strides.size() && part.offset >= 0;
  std::int64_t last = part.offset;
  std::int64_t elements = 1;
  const bool empty = std::ranges::find(part.shape, 0) != part.shape.end();
  for (std::size_t i = 0; fits && i < part.shape.size(); ++i) {
    std::int64_t reach = 0;
    const std::int64_t size = std::max<std::int64_t>(part.shape[i], 1);
    fits = !__builtin_mul_overflow(size - 1, part.strides[i], &reach) &&
        !__builtin_add_overflow(last, reach, &last) &&
        !__builtin_mul_overflow(elements, size, &elements);
  }
  VITRAIN_CHECK_WEIGHTS(
      fits && (empty || last < count),
      "{}: reaches beyond its storage of {} elements",
      what,
      count);
  VITRAIN_CHECK_WEIGHTS(
      empty || elements <= count,
      "{}: has {} values of a storage of {} elements, as Tensor.expand() makes "
      "it; save its clone()",
      what,
      with_commas(elements),
      with_commas(count));
}

class TorchTensors {
 public:
  TorchTensors(Archive& archive, std::vector<std::string>& keys)
      : archive_(archive), keys_(keys) {}

  void add(const std::string& name, const PickleValue& value) {
    const std::string what =
        fmt::format("{}: tensor '{}'", archive_.source, printable(name));
    const Rebuild rebuild = rebuild_of(value);
    const auto& items = *rebuild.arguments;
    const bool third = rebuild.function == "torch._utils._rebuild_tensor_v3";
    VITRAIN_CHECK_WEIGHTS(
        items.size() >= (third ? 7U : 4U) && items[0]->is(Kind::kPersistent) &&
            items[1]->is(Kind::kInteger),
        "{}: is not described as torch.save does",
        what);
    const TorchStorage storage = torch_storage(*items[0], archive_.source);
    const PickleValue& storage_type = *items[0]->arguments->items[1];
    const DType* type = third ? find_type(*items[6], &TypeRow::scalar)
                              : find_type(storage_type, &TypeRow::storage);
    VITRAIN_CHECK_WEIGHTS(
        type != nullptr,
        "{}: has the type {}, which is not read",
        what,
        printable((third ? items[6] : &storage_type)->text));
    StridedPart part{
        .storage = index_of(storage, what),
        .offset = items[1]->integer,
        .shape = sizes_of(*items[2], what),
        .strides = sizes_of(*items[3], what)};
    check_place(
        part, storage.count * storage.element_bytes / type->bytes, what);
    archive_.tensors[name] = {
        .type = type, .shape = part.shape, .parts = {std::move(part)}};
  }

 private:
  std::size_t index_of(const TorchStorage& storage, const std::string& what) {
    const std::int64_t bytes = storage.count * storage.element_bytes;
    const auto [found, fresh] = indices_.try_emplace(storage.key, keys_.size());
    if (fresh) {
      keys_.push_back(storage.key);
      archive_.storages.push_back(bytes);
    }
    VITRAIN_CHECK_WEIGHTS(
        archive_.storages[found->second] == bytes,
        "{}: its storage '{}' has two sizes",
        what,
        printable(storage.key));
    return found->second;
  }

  Archive& archive_;
  std::vector<std::string>& keys_;
  std::map<std::string, std::size_t> indices_;
};

} // namespace

TorchStorage torch_storage(
    const PickleValue& persistent,
    const std::string& source) {
  const auto& items = persistent.arguments->items;
  const bool storage = items.size() >= 5 && items[0]->is(Kind::kText) &&
      items[0]->text == "storage" && items[2]->is(Kind::kText) &&
      items[4]->is(Kind::kInteger) && items[4]->integer >= 0;
  VITRAIN_CHECK_WEIGHTS(
      storage, "{}: its pickle points to something that is no storage", source);
  // The key is copied for each tensor; torch's keys are numbers.
  VITRAIN_CHECK_WEIGHTS(
      items[2]->text.size() <= kLongestName,
      "{}: the name of a storage has more than {} bytes",
      source,
      with_commas(kLongestName));
  const DType* type = find_type(*items[1], &TypeRow::storage);
  VITRAIN_CHECK_WEIGHTS(
      type != nullptr || is_untyped(*items[1]),
      "{}: storage '{}' has the type {}, which is not read",
      source,
      printable(items[2]->text),
      printable(items[1]->text));
  const std::int64_t element_bytes = type == nullptr ? 1 : type->bytes;
  std::int64_t bytes = 0;
  VITRAIN_CHECK_WEIGHTS(
      !__builtin_mul_overflow(items[4]->integer, element_bytes, &bytes),
      "{}: the bytes of storage '{}' overflow",
      source,
      printable(items[2]->text));
  return {
      .key = std::string(items[2]->text),
      .element_bytes = element_bytes,
      .count = items[4]->integer};
}

bool is_torch_tensor(const PickleValue& value) {
  return rebuild_of(value).arguments != nullptr &&
      rebuild_of(value).function.starts_with("torch._utils._rebuild_tensor");
}

void add_torch_tensors(
    const Pickle& pickle,
    const std::string& part,
    Archive& archive,
    std::vector<std::string>& keys) {
  StateDict dict =
      find_state_dict(pickle.root(), is_torch_tensor, part, archive.source);
  TorchTensors tensors(archive, keys);
  for (const auto& [name, value] : dict.tensors) {
    tensors.add(name, *value);
  }
  archive.notes = std::move(dict.notes);
}

} // namespace vitrain::weights
