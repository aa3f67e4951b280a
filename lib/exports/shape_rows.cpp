#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include <ATen/ATen.h>

#include "exports/onnx_rows.h"

// Translations of operators on shapes, slices and copies.
namespace vitrain::exports {
namespace {

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
void keep(const Call& call) {
  call.give(call.in(call.has("self") ? "self" : "input"));
}

void convert(const Call& call) {
  call.give(call.operand("self", call.result_type()));
}

void view(const Call& call) {
  give_reshaped(call, call.in("self"), call.has("size") ? "size" : "shape");
}

// Reshapes to the shape in the result's type.
void reshape_by_type(const Call& call) {
  give_reshaped(call, call.in("self"));
}

// With several free dimensions, those before the flattened ones are copied, and
// those after them must be known.
void flatten(const Call& call) {
  const Dims dims = call.dims("self");
  const auto first = static_cast<std::size_t>(call.axis("start_dim", "self"));
  const auto behind =
      static_cast<std::size_t>(call.axis("end_dim", "self")) + 1;
  const bool known = std::all_of(
      dims.begin() + static_cast<std::ptrdiff_t>(behind),
      dims.end(),
      [](const auto& size) { return size.has_value(); });
  const Dims result = call.result_dims();
  const auto free = std::ranges::count_if(
      result, [](const auto& size) { return !size.has_value(); });
  if (free <= 1 || !known) {
    give_reshaped(call, call.in("self"));
    return;
  }
  std::vector<std::int64_t> shape(first, 0); // 0 copies the dimension
  shape.push_back(-1);
  for (std::size_t i = behind; i < dims.size(); ++i) {
    shape.push_back(*dims[i]);
  }
  call.give("Reshape", {call.in("self"), call.emitter.integers(shape)});
}

void unsqueeze(const Call& call) {
  call.give(
      "Unsqueeze",
      {call.in("self"), call.emitter.integers({call.result_axis("dim")})});
}

std::string transposed(
    const Call& call,
    const std::string& name,
    std::vector<std::int64_t> order) {
  return call.emitter.add("Transpose", {name}, {{"perm", std::move(order)}});
}

void permute(const Call& call) {
  call.give(transposed(call, call.in("self"), call.axes("dims", "self")));
}

void transpose(const Call& call) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(call.rank("self")));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  const bool named = call.has("dim0");
  const auto first =
      static_cast<std::size_t>(named ? call.axis("dim0", "self") : 0);
  const auto second =
      static_cast<std::size_t>(named ? call.axis("dim1", "self") : 1);
  if (order.size() > 1) {
    std::swap(order[first], order[second]);
  }
  call.give(transposed(call, call.in("self"), order));
}

void expand(const Call& call) {
  call.give("Expand", {call.in("self"), call.shape("size", /*unchanged=*/1)});
}

void expand_as(const Call& call) {
  call.give(
      "Expand",
      {call.in("self"), call.emitter.add("Shape", {call.in("other")})});
}

void repeat(const Call& call) {
  std::string x = call.in("self");
  const std::int64_t more = std::ssize(call.result_dims()) - call.rank("self");
  if (more > 0) {
    std::vector<std::int64_t> axes(static_cast<std::size_t>(more));
    std::iota(axes.begin(), axes.end(), std::int64_t{0});
    x = call.emitter.add("Unsqueeze", {x, call.emitter.integers(axes)});
  }
  call.give("Tile", {x, call.shape("repeats", -1)});
}

void zeros_like(const Call& call) {
  Emitter& e = call.emitter;
  call.give(
      "Expand",
      {e.constant(at::scalar_tensor(0.0, call.result_type())),
       e.add("Shape", {call.in("self")})});
}

void size(const Call& call) {
  const std::int64_t axis = call.axis("dim", "self");
  call.give("Shape", {call.in("self")}, {{"start", axis}, {"end", axis + 1}});
}

void concatenate(const Call& call) {
  call.give(
      "Concat", call.tensors("tensors"), {{"axis", call.result_axis("dim")}});
}

void stack(const Call& call) {
  const std::int64_t axis = call.result_axis("dim");
  Names parts = call.tensors("tensors");
  for (std::string& part : parts) {
    part = call.emitter.add("Unsqueeze", {part, call.emitter.integers({axis})});
  }
  call.give("Concat", parts, {{"axis", axis}});
}

void slice(const Call& call) {
  call.give(sliced(
      call.emitter,
      call.in("self"),
      call.axis("dim", "self"),
      call.has("start") ? call.integer("start") : 0,
      call.has("end") ? call.integer("end") : kEnd,
      call.integer("step")));
}

void narrow(const Call& call) {
  const std::int64_t axis = call.axis("dim", "self");
  std::int64_t start = call.integer("start");
  start = start < 0 ? start + call.size("self", axis) : start;
  call.give(sliced(
      call.emitter,
      call.in("self"),
      axis,
      start,
      start + call.integer("length")));
}

void select(const Call& call) {
  call.give(
      "Gather",
      {call.in("self"),
       call.emitter.constant(
           at::scalar_tensor(call.integer("index"), at::kLong))},
      {{"axis", call.axis("dim", "self")}});
}

Names split_into(
    const Call& call,
    std::int64_t axis,
    const std::vector<std::int64_t>& sizes) {
  return call.emitter.add_many(
      "Split",
      {call.in("self"), call.emitter.integers(sizes)},
      std::ssize(sizes),
      {{"axis", axis}});
}

// Splits into parts of equal size; the last one may be smaller.
Names split_by(const Call& call, std::int64_t axis, std::int64_t part) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t left = call.size("self", axis); left > 0; left -= part) {
    sizes.push_back(std::min(left, part));
  }
  return split_into(call, axis, sizes);
}

void split(const Call& call) {
  const std::int64_t axis = call.axis("dim", "self");
  call.give(
      call.has("split_sizes")
          ? split_into(call, axis, call.integers("split_sizes"))
          : split_by(call, axis, call.integer("split_size")));
}

void chunk(const Call& call) {
  const std::int64_t axis = call.axis("dim", "self");
  const std::int64_t count = call.integer("chunks");
  call.give(
      split_by(call, axis, (call.size("self", axis) + count - 1) / count));
}

void unbind(const Call& call) {
  const std::int64_t axis = call.axis("dim", "self");
  Names parts = split_by(call, axis, 1);
  for (std::string& part : parts) {
    part = call.emitter.add("Squeeze", {part, call.emitter.integers({axis})});
  }
  call.give(parts);
}

void roll(const Call& call) {
  Emitter& e = call.emitter;
  std::string x = call.in("self");
  const std::vector<std::int64_t> shifts = call.integers("shifts");
  const std::vector<std::int64_t> axes = call.axes("dims", "self");
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    const std::int64_t size = call.size("self", axes.at(i));
    const std::int64_t first = ((-shifts[i]) % size + size) % size;
    x = e.add(
        "Concat",
        {sliced(e, x, axes[i], first, kEnd), sliced(e, x, axes[i], 0, first)},
        {{"axis", axes[i]}});
  }
  call.give(x);
}

void index_select(const Call& call) {
  call.give(
      "Gather",
      {call.in("self"), call.in("index")},
      {{"axis", call.axis("dim", "self")}});
}

void gather(const Call& call) {
  call.give(
      "GatherElements",
      {call.in("self"), call.in("index")},
      {{"axis", call.axis("dim", "self")}});
}

// Supports one index tensor for one dimension, x[:, table], or index tensors
// for all of the first dimensions, x[rows, columns].
void index(const Call& call) {
  Emitter& e = call.emitter;
  const Names tables = call.tensors("indices");
  const auto given = [](const std::string& name) { return !name.empty(); };
  const auto first = std::ranges::find_if(tables, given);
  const auto count = std::ranges::count_if(tables, given);
  if (count == 1) {
    call.give(
        "Gather",
        {call.in("self"), *first},
        {{"axis", std::int64_t{first - tables.begin()}}});
    return;
  }
  if (count != std::ssize(tables)) {
    call.refuse("with several tables of numbers behind whole dimensions");
  }
  Names columns;
  for (const std::string& table : tables) {
    columns.push_back(e.add("Unsqueeze", {table, e.integers({-1})}));
  }
  call.give(
      "GatherND",
      {call.in("self"),
       e.add("Concat", columns, {{"axis", std::int64_t{-1}}})});
}

// aten's list starts with the last dimension and has two numbers per dimension.
void pad(const Call& call) {
  const std::vector<std::int64_t> given = call.integers("pad");
  const auto rank = static_cast<std::size_t>(call.rank("self"));
  std::vector<std::int64_t> pads(2 * rank, 0);
  for (std::size_t i = 0; i < given.size() / 2; ++i) {
    pads[rank - 1 - i] = given[2 * i];
    pads[2 * rank - 1 - i] = given[2 * i + 1];
  }
  const std::string mode = call.has("mode") ? call.text("mode") : "constant";
  Names inputs{call.in("self"), call.emitter.integers(pads)};
  if (mode == "constant") {
    inputs.push_back(
        call.has("value") ? call.operand("value", call.result_type())
                          : call.emitter.number(0.0));
  } else if (mode != "reflect" && mode != "replicate") {
    call.refuse("of mode " + mode);
  }
  call.give("Pad", inputs, {{"mode", mode == "replicate" ? "edge" : mode}});
}

constexpr auto kShapeRows = std::to_array<OnnxRow>({
    {"alias", keep},
    {"clone", keep},
    {"contiguous", keep},
    {"detach", keep},
    {"dropout", keep},
    {"feature_dropout", keep},
    {"lift_fresh", keep},
    {"to", convert},
    {"type_as", convert},
    {"reshape", view},
    {"view", view},
    {"flatten", flatten},
    {"reshape_as", reshape_by_type},
    {"squeeze", reshape_by_type},
    {"unflatten", reshape_by_type},
    {"view_as", reshape_by_type},
    {"unsqueeze", unsqueeze},
    {"permute", permute},
    {"t", transpose},
    {"transpose", transpose},
    {"expand", expand},
    {"expand_as", expand_as},
    {"repeat", repeat},
    {"size", size},
    {"zeros_like", zeros_like},
    {"cat", concatenate},
    {"concat", concatenate},
    {"stack", stack},
    {"slice", slice},
    {"narrow", narrow},
    {"select", select},
    {"split", split},
    {"split_with_sizes", split},
    {"chunk", chunk},
    {"unbind", unbind},
    {"roll", roll},
    {"index_select", index_select},
    {"gather", gather},
    {"index", index},
    {"constant_pad_nd", pad},
    {"pad", pad},
});

} // namespace

std::string sliced(
    Emitter& e,
    const std::string& name,
    std::int64_t axis,
    std::int64_t start,
    std::int64_t end,
    std::int64_t step) {
  return e.add(
      "Slice",
      {name,
       e.integers({start}),
       e.integers({end}),
       e.integers({axis}),
       e.integers({step})});
}

void give_reshaped(
    const Call& call,
    const std::string& name,
    const char* sizes) {
  const Dims dims = call.result_dims();
  std::string shape;
  const auto of_batch = [](const auto& size) { return !size; };
  if (std::ranges::count_if(dims, of_batch) <= 1) {
    std::vector<std::int64_t> known;
    for (const auto& size : dims) {
      known.push_back(size.value_or(-1));
    }
    shape = call.emitter.integers(known);
  } else if (sizes != nullptr) {
    shape = call.shape(sizes, /*unchanged=*/-1);
  } else {
    call.refuse("to several dimensions that depend on the batch");
  }
  call.give("Reshape", {name, shape});
}

std::span<const OnnxRow> shape_rows() {
  return kShapeRows;
}

} // namespace vitrain::exports
