#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/text.h"
#include "weights/pickle.h"

namespace vitrain::weights {

// Stack machine that executes a pickle (pickletools.py of CPython describes the
// instructions).
class PickleMachine {
 public:
  PickleMachine(
      Pickle& pickle,
      std::string_view bytes,
      const std::string& source)
      : pickle_(pickle), bytes_(bytes), source_(source) {}

  void run();

 private:
  using Value = PickleValue;
  using Kind = PickleValue::Kind;

  struct Instruction {
    unsigned char code;
    void (*perform)(PickleMachine&);
  };
  static const Instruction kInstructions[];

  // Limit on values: a stream of one-byte instructions needs 100 times its size
  // in memory, so this bounds it to about 200 MB. A file with 10,000 tensors
  // needs 200,000 values.
  static constexpr std::size_t kMostValues = 2'000'000;
  // Longest name of a class or function including its module, in bytes. Each
  // use makes a copy.
  static constexpr std::size_t kLongestGlobal = 1'000;

  template <typename... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args)
      const {
    fail(
        ExitCode::kWeights,
        "{}: pickle, byte {}: {}",
        source_,
        at_,
        fmt::format(format, std::forward<Args>(args)...));
  }

  // Reading the stream.
  std::string_view take(std::uint64_t count);
  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view line();

  // Operations on the stack.
  PickleValue& make(Kind kind);
  void push(PickleValue& value);
  PickleValue& top();
  PickleValue& pop() {
    PickleValue& value = top();
    stack_.pop_back();
    return value;
  }
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  std::size_t pop_mark();
  // Pops the last mark and returns the values above it.
  std::vector<PickleValue::Ref> pop_to_mark();

  // Creation of values.
  void push_integer(std::int64_t value) {
    PickleValue& made = make(PickleValue::Kind::kInteger);
    made.integer = value;
    push(made);
  }
  void push_bool(bool value) {
    PickleValue& made = make(PickleValue::Kind::kBool);
    made.integer = value ? 1 : 0;
    push(made);
  }
  void push_text(Kind kind, std::string_view text) {
    PickleValue& made = make(kind);
    made.text = text;
    push(made);
  }
  std::string_view keep(std::string text) {
    return pickle_.texts_.emplace_back(std::move(text));
  }
  void push_global(std::string_view module, std::string_view name);
  // True if the call reads an attribute of a class or function.
  static bool is_attribute(
      const PickleValue& callee,
      const PickleValue& arguments);
  void push_attribute(const PickleValue& owner, std::string_view name);
  void push_items(Kind kind, std::vector<PickleValue::Ref> items) {
    PickleValue& made = make(kind);
    made.items = std::move(items);
    push(made);
  }
  void push_call(const PickleValue& callee, const PickleValue& arguments);
  void push_call(
      const PickleValue& callee,
      std::vector<PickleValue::Ref> arguments) {
    PickleValue& tuple = make(PickleValue::Kind::kTuple);
    tuple.items = std::move(arguments);
    push_call(callee, tuple);
  }
  void push_persistent(const PickleValue& id);
  void push_tuple(std::size_t count);
  static bool holds_items(const PickleValue& value) {
    return value.is(PickleValue::Kind::kList) ||
        value.is(PickleValue::Kind::kCall);
  }
  void set_entries(const std::vector<PickleValue::Ref>& items);
  void append(const std::vector<PickleValue::Ref>& items);
  void push_long(std::string_view digits);
  void push_line_integer();
  std::string_view quoted(std::string_view text);
  void put(std::uint64_t index) {
    if (memo_.size() >= kMostValues) {
      refuse("a memo of more than {} values", with_commas(kMostValues));
    }
    memo_[index] = &top();
  }
  void get(std::uint64_t index);
  std::uint64_t line_index();

  // Instructions with longer implementations.
  void build();
  void dict();
  void stack_global();
  void instance();
  void object();
  void new_object_ex();
  void line_global() {
    const std::string_view module = line();
    push_global(module, line());
  }
  void reduce() {
    const PickleValue& arguments = pop();
    const PickleValue& callee = pop();
    push_call(callee, arguments);
  }
  void append_one() {
    const PickleValue& item = pop();
    append({&item});
  }
  void set_one() {
    const PickleValue& value = pop();
    const PickleValue& key = pop();
    set_entries({&key, &value});
  }
  void push_mark();
  void make_real(double value);
  void push_line_real();
  void push_real();
  // Pushes a text, or bytes, preceded by its length.
  template <typename Length>
  void push_sized(Kind kind) {
    push_text(kind, take(number<Length>()));
  }

  Pickle& pickle_;
  const std::string_view bytes_;
  const std::string& source_;
  std::size_t at_ = 0;
  bool stopped_ = false;
  std::vector<PickleValue*> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, PickleValue*> memo_;
  PickleValue& none_ = make(PickleValue::Kind::kNone);
};

} // namespace vitrain::weights
