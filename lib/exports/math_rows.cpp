#include <array>
#include <cmath>
#include <numbers>

#include "exports/onnx_rows.h"

// Translations of elementwise operators, reductions and matrix products.
namespace vitrain::exports {
namespace {

template <Name Op>
void unary(const Call& call) {
  call.give(Op.text, {call.operand("self", call.result_type())});
}

// Returns the dtype in which both operands are written: the result's, or, for
// comparisons, that of `self`.
at::ScalarType common_type(const Call& call) {
  return call.result_type() == at::kBool ? call.type("self")
                                         : call.result_type();
}

template <Name Op>
void binary(const Call& call) {
  const at::ScalarType type = common_type(call);
  call.give(Op.text, {call.operand("self", type), call.operand("other", type)});
}

// Returns the second operand multiplied by alpha.
std::string scaled_other(const Call& call, at::ScalarType type) {
  const std::string other = call.operand("other", type);
  const double alpha = call.has("alpha") ? call.number("alpha") : 1.0;
  return alpha == 1.0
      ? other
      : call.emitter.add("Mul", {other, call.emitter.number(alpha)});
}

// Writes Add; also for sizes, which are [1] int64 tensors in the graph.
void add(const Call& call) {
  if (!call.has("self")) { // two sizes: aten::add.int
    call.give("Add", {call.in("a"), call.in("b")});
    return;
  }
  const at::ScalarType type = common_type(call);
  call.give("Add", {call.operand("self", type), scaled_other(call, type)});
}

void multiply(const Call& call) {
  if (call.has("self")) {
    binary<"Mul">(call);
  } else {
    call.give("Mul", {call.in("a"), call.in("b")});
  }
}

void subtract(const Call& call) {
  const at::ScalarType type = common_type(call);
  call.give("Sub", {call.operand("self", type), scaled_other(call, type)});
}

void subtract_from(const Call& call) { // rsub
  const at::ScalarType type = common_type(call);
  call.give("Sub", {call.operand("other", type), call.operand("self", type)});
}

void divide(const Call& call) {
  if (call.has("rounding_mode")) {
    call.refuse("that rounds");
  }
  call.give(
      "Div",
      {call.operand("self", at::kFloat), call.operand("other", at::kFloat)});
}

void power(const Call& call) {
  call.give(
      "Pow",
      {call.operand("self", at::kFloat), call.operand("exponent", at::kFloat)});
}

void not_equal(const Call& call) {
  const at::ScalarType type = call.type("self");
  call.give(
      "Not",
      {call.emitter.add(
          "Equal", {call.operand("self", type), call.operand("other", type)})});
}

void rsqrt(const Call& call) {
  call.give("Reciprocal", {call.emitter.add("Sqrt", {call.in("self")})});
}

void silu(const Call& call) {
  const std::string x = call.in("self");
  call.give("Mul", {x, call.emitter.add("Sigmoid", {x})});
}

// Writes x Phi(x), or, with tanh, the approximation of Hendrycks and Gimpel,
// "Gaussian error linear units", 2016.
void gelu(const Call& call) {
  Emitter& e = call.emitter;
  const std::string x = call.in("self");
  std::string inner;
  if (call.text("approximate") == "tanh") {
    const std::string cube = e.add("Mul", {x, e.add("Mul", {x, x})});
    const std::string sum =
        e.add("Add", {x, e.add("Mul", {cube, e.number(0.044715)})});
    inner = e.add(
        "Tanh",
        {e.add("Mul", {sum, e.number(std::sqrt(2.0 / std::numbers::pi))})});
  } else {
    inner =
        e.add("Erf", {e.add("Mul", {x, e.number(1.0 / std::numbers::sqrt2)})});
  }
  const std::string sum = e.add("Add", {inner, e.number(1.0)});
  call.give("Mul", {e.add("Mul", {x, sum}), e.number(0.5)});
}

void hardsigmoid(const Call& call) {
  call.give(
      "HardSigmoid", {call.in("self")}, {{"alpha", 1.0 / 6.0}, {"beta", 0.5}});
}

void leaky_relu(const Call& call) {
  call.give(
      "LeakyRelu",
      {call.in("self")},
      {{"alpha", call.number("negative_slope")}});
}

void elu(const Call& call) {
  if (call.number("scale") != 1.0 || call.number("input_scale") != 1.0) {
    call.refuse("with scales");
  }
  call.give("Elu", {call.in("self")}, {{"alpha", call.number("alpha")}});
}

void relu6(const Call& call) {
  Emitter& e = call.emitter;
  call.give("Clip", {call.in("self"), e.number(0.0), e.number(6.0)});
}

// Writes clamp, clamp_min, clamp_max or hardtanh: either bound may be absent.
void clip(const Call& call) {
  const auto bound = [&](const char* name, const char* other) {
    return call.has(name) ? call.operand(name, at::kFloat)
        : call.has(other) ? call.operand(other, at::kFloat)
                          : std::string();
  };
  const std::string least = bound("min", "min_val");
  const std::string most = bound("max", "max_val");
  Names inputs{call.in("self"), least};
  if (!most.empty()) {
    inputs.push_back(most);
  }
  call.give("Clip", inputs);
}

void where(const Call& call) {
  const at::ScalarType type = call.result_type();
  call.give(
      "Where",
      {call.operand("condition", at::kBool),
       call.operand("self", type),
       call.operand("other", type)});
}

void masked_fill(const Call& call) {
  const at::ScalarType type = call.result_type();
  call.give(
      "Where",
      {call.operand("mask", at::kBool),
       call.operand("value", type),
       call.operand("self", type)});
}

template <bool Divides>
void add_product(const Call& call) { // addcmul, addcdiv
  Emitter& e = call.emitter;
  std::string product =
      e.add(Divides ? "Div" : "Mul", {call.in("tensor1"), call.in("tensor2")});
  if (call.number("value") != 1.0) {
    product = e.add("Mul", {product, e.number(call.number("value"))});
  }
  call.give("Add", {call.in("self"), product});
}

void softmax(const Call& call) {
  call.give(
      "Softmax",
      {call.operand("self", at::kFloat)},
      {{"axis", call.axis("dim", "self")}});
}

template <Name Op>
void reduce(const Call& call) {
  const std::int64_t keep = call.has("keepdim") && call.flag("keepdim") ? 1 : 0;
  call.give(
      Op.text,
      {call.operand("self", at::kFloat),
       call.emitter.integers(call.axes("dim", "self"))},
      {{"keepdims", keep}});
}

void norm(const Call& call) {
  const double power = call.has("p") ? call.number("p")
      : call.has("ord")              ? call.number("ord")
                                     : 2.0;
  if (power == 2.0) {
    reduce<"ReduceL2">(call);
  } else if (power == 1.0) {
    reduce<"ReduceL1">(call);
  } else {
    call.refuse("of another power than 1 and 2");
  }
}

void linear(const Call& call) {
  Emitter& e = call.emitter;
  const std::string x = call.in("input");
  const std::string weight = call.in("weight");
  if (call.rank("input") == 2) {
    Names inputs{x, weight};
    if (call.has("bias")) {
      inputs.push_back(call.in("bias"));
    }
    call.give("Gemm", inputs, {{"transB", std::int64_t{1}}});
    return;
  }
  const std::string product = e.add(
      "MatMul",
      {x,
       e.add(
           "Transpose",
           {weight},
           {{"perm", std::vector<std::int64_t>{1, 0}}})});
  call.give(
      call.has("bias") ? e.add("Add", {product, call.in("bias")}) : product);
}

void matmul(const Call& call) {
  const char* other = call.has("mat2") ? "mat2" : "other";
  call.give("MatMul", {call.in("self"), call.in(other)});
}

void addmm(const Call& call) {
  call.give(
      "Gemm",
      {call.in("mat1"), call.in("mat2"), call.in("self")},
      {{"alpha", call.number("alpha")}, {"beta", call.number("beta")}});
}

// Writes beta * self + alpha * (batch1 batch2).
void baddbmm(const Call& call) {
  Emitter& e = call.emitter;
  const auto scaled = [&](const std::string& x, const char* factor) {
    const double by = call.number(factor);
    return by == 1.0 ? x : e.add("Mul", {x, e.number(by)});
  };
  const std::string product =
      e.add("MatMul", {call.in("batch1"), call.in("batch2")});
  call.give("Add", {scaled(call.in("self"), "beta"), scaled(product, "alpha")});
}

void square(const Call& call) {
  const std::string x = call.in("self");
  call.give("Mul", {x, x});
}

void einsum(const Call& call) {
  call.give(
      "Einsum", call.tensors("tensors"), {{"equation", call.text("equation")}});
}

void glu(const Call& call) {
  const std::int64_t axis = call.axis("dim", "self");
  const Names halves = call.emitter.add_many(
      "Split",
      {call.in("self")},
      2,
      {{"axis", axis}, {"num_outputs", std::int64_t{2}}});
  call.give("Mul", {halves[0], call.emitter.add("Sigmoid", {halves[1]})});
}

constexpr auto kMathRows = std::to_array<OnnxRow>({
    {"abs", unary<"Abs">},
    {"erf", unary<"Erf">},
    {"exp", unary<"Exp">},
    {"hardswish", unary<"HardSwish">},
    {"log", unary<"Log">},
    {"mish", unary<"Mish">},
    {"neg", unary<"Neg">},
    {"reciprocal", unary<"Reciprocal">},
    {"relu", unary<"Relu">},
    {"sigmoid", unary<"Sigmoid">},
    {"softplus", unary<"Softplus">},
    {"sqrt", unary<"Sqrt">},
    {"tanh", unary<"Tanh">},
    {"elu", elu},
    {"gelu", gelu},
    {"hardsigmoid", hardsigmoid},
    {"leaky_relu", leaky_relu},
    {"relu6", relu6},
    {"rsqrt", rsqrt},
    {"silu", silu},
    {"square", square},
    {"clamp", clip},
    {"clamp_max", clip},
    {"clamp_min", clip},
    {"hardtanh", clip},
    {"add", add},
    {"mul", multiply},
    {"sub", subtract},
    {"rsub", subtract_from},
    {"div", divide},
    {"pow", power},
    {"maximum", binary<"Max">},
    {"minimum", binary<"Min">},
    {"eq", binary<"Equal">},
    {"gt", binary<"Greater">},
    {"lt", binary<"Less">},
    {"ne", not_equal},
    {"where", where},
    {"masked_fill", masked_fill},
    {"addcdiv", add_product<true>},
    {"addcmul", add_product<false>},
    {"softmax", softmax},
    {"amax", reduce<"ReduceMax">},
    {"amin", reduce<"ReduceMin">},
    {"max", reduce<"ReduceMax">}, // the values only, not their indices
    {"mean", reduce<"ReduceMean">},
    {"sum", reduce<"ReduceSum">},
    {"linalg_vector_norm", norm},
    {"norm", norm},
    {"linear", linear},
    {"matmul", matmul},
    {"bmm", matmul},
    {"mm", matmul},
    {"addmm", addmm},
    {"baddbmm", baddbmm},
    {"einsum", einsum},
    {"glu", glu},
});

} // namespace

std::span<const OnnxRow> math_rows() {
  return kMathRows;
}

} // namespace vitrain::exports
