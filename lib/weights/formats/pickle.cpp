#include "weights/formats/pickle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <span>
#include <unordered_map>

#include "core/check.h"
#include "core/text.h"

namespace vitrain::weights {

using Kind = PickleValue::Kind;
using Value = PickleValue;

namespace {

// What only an attack names. No callable is ever called; a file that asks for
// one of these is refused all the same, so that people learn of it.
constexpr auto kRefused = std::to_array<std::string_view>({
    "asyncio",  "bdb",        "code",       "commands",
    "cProfile", "ctypes",     "importlib",  "multiprocessing",
    "nt",       "os",         "pdb",        "pip",
    "posix",    "profile",    "pty",        "runpy",
    "shutil",   "socket",     "subprocess", "sys",
    "timeit",   "webbrowser",
});
constexpr auto kRefusedBuiltins = std::to_array<std::string_view>({
    "__import__",
    "apply",
    "breakpoint",
    "compile",
    "delattr",
    "eval",
    "exec",
    "execfile",
    "file",
    "getattr",
    "globals",
    "input",
    "locals",
    "open",
    "setattr",
    "vars",
});

bool contains(std::span<const std::string_view> list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

bool is_builtins(std::string_view module) {
  return module == "builtins" || module == "__builtin__";
}

} // namespace

// The stack machine whose program a pickle is (pickletools.py of CPython
// describes each instruction).
class PickleMachine {
 public:
  PickleMachine(
      Pickle& pickle,
      std::string_view bytes,
      const std::string& source)
      : pickle_(pickle), bytes_(bytes), source_(source) {}

  void run();

 private:
  struct Instruction {
    unsigned char code;
    void (*perform)(PickleMachine&);
  };
  static const Instruction kInstructions[];

  // A stream of one-byte instructions asks for 100 times its size: bounded to
  // some 200 MB. A file of 10,000 tensors needs 200,000 values.
  static constexpr std::size_t kMostValues = 2'000'000;

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

  // The stream.
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - at_) {
      refuse("it ends within {} bytes", count);
    }
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }
  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) {
      refuse("it ends within a line");
    }
    const std::string_view text = take(end - at_);
    ++at_;
    return text;
  }

  // The stack.
  Value& make(Kind kind) {
    if (pickle_.values_.size() >= kMostValues) {
      refuse("more than {} values", with_commas(kMostValues));
    }
    Value& value = pickle_.values_.emplace_back();
    value.kind = kind;
    return value;
  }
  void push(Value& value) {
    if (stack_.size() >= kMostValues) {
      refuse("a stack of more than {} values", with_commas(kMostValues));
    }
    stack_.push_back(&value);
  }
  Value& top() {
    if (stack_.size() <= floor()) {
      refuse("an instruction finds no value on the stack");
    }
    return *stack_.back();
  }
  Value& pop() {
    Value& value = top();
    stack_.pop_back();
    return value;
  }
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  std::size_t pop_mark() {
    if (marks_.empty()) {
      refuse("an instruction finds no mark on the stack");
    }
    const std::size_t mark = marks_.back();
    marks_.pop_back();
    return mark;
  }
  // What lies above the last mark, which goes.
  std::vector<Value::Ref> pop_to_mark() {
    const std::size_t mark = pop_mark();
    std::vector<Value::Ref> items(
        stack_.begin() + static_cast<std::ptrdiff_t>(mark), stack_.end());
    stack_.resize(mark);
    return items;
  }

  // Values.
  void push_integer(std::int64_t value) {
    Value& made = make(Kind::kInteger);
    made.integer = value;
    push(made);
  }
  void push_bool(bool value) {
    Value& made = make(Kind::kBool);
    made.integer = value ? 1 : 0;
    push(made);
  }
  void push_text(Kind kind, std::string_view text) {
    Value& made = make(kind);
    made.text = text;
    push(made);
  }
  std::string_view keep(std::string text) {
    return pickle_.texts_.emplace_back(std::move(text));
  }
  void push_global(std::string_view module, std::string_view name) {
    if (contains(kRefused, module) ||
        (is_builtins(module) && contains(kRefusedBuiltins, name))) {
      refuse(
          "it names {}.{}, with which a program would be started: this is no "
          "file of weights (nothing of it was executed)",
          printable(module),
          printable(name));
    }
    push_text(Kind::kGlobal, keep(fmt::format("{}.{}", module, name)));
  }
  void push_items(Kind kind, std::vector<Value::Ref> items) {
    Value& made = make(kind);
    made.items = std::move(items);
    push(made);
  }
  void push_call(const Value& callee, const Value& arguments) {
    if (!callee.is(Kind::kGlobal)) {
      refuse("it calls something that is not a class or a function");
    }
    Value& made = make(Kind::kCall);
    made.callee = &callee;
    made.arguments = &arguments;
    push(made);
  }
  void push_call(const Value& callee, std::vector<Value::Ref> arguments) {
    Value& tuple = make(Kind::kTuple);
    tuple.items = std::move(arguments);
    push_call(callee, tuple);
  }
  void push_persistent(const Value& id) {
    Value& made = make(Kind::kPersistent);
    made.arguments = &id;
    push(made);
    pickle_.persistent_.push_back(&made);
  }
  void push_tuple(std::size_t count) {
    std::vector<Value::Ref> items(count);
    for (std::size_t i = count; i-- > 0;) {
      items[i] = &pop();
    }
    push_items(Kind::kTuple, std::move(items));
  }
  static bool holds_items(const Value& value) {
    return value.is(Kind::kList) || value.is(Kind::kCall);
  }
  void set_entries(const std::vector<Value::Ref>& items);
  void append(const std::vector<Value::Ref>& items);
  void push_long(std::string_view digits);
  void push_line_integer();
  void push_line_text();
  std::string_view quoted(std::string_view text);
  void put(std::uint64_t index) { memo_[index] = &top(); }
  void get(std::uint64_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) {
      refuse("it takes value {} of its memo, which is not there", index);
    }
    push(*found->second);
  }
  std::uint64_t line_index();

  // Instructions that need more than a line.
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
    const Value& arguments = pop();
    const Value& callee = pop();
    push_call(callee, arguments);
  }
  void append_one() {
    const Value& item = pop();
    append({&item});
  }
  void set_one() {
    const Value& value = pop();
    const Value& key = pop();
    set_entries({&key, &value});
  }
  void push_mark() {
    if (marks_.size() >= kMostValues) {
      refuse("more than {} marks", with_commas(kMostValues));
    }
    marks_.push_back(stack_.size());
  }
  void make_real(double value) {
    Value& made = make(Kind::kReal);
    made.real = value;
    push(made);
  }
  void push_line_real();
  void push_real();
  // A text or bytes behind their length.
  template <typename Length>
  void push_sized(Kind kind) {
    push_text(kind, take(number<Length>()));
  }

  Pickle& pickle_;
  const std::string_view bytes_;
  const std::string& source_;
  std::size_t at_ = 0;
  bool stopped_ = false;
  std::vector<Value*> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint64_t, Value*> memo_;
  Value& none_ = make(Kind::kNone);
};

void PickleMachine::set_entries(const std::vector<Value::Ref>& items) {
  Value& target = top();
  if (!target.is(Kind::kDict) && !target.is(Kind::kCall)) {
    refuse("it sets entries of something that is not a dictionary");
  }
  if (items.size() % 2 != 0) {
    refuse("a key without a value");
  }
  for (std::size_t i = 0; i < items.size(); i += 2) {
    target.entries.emplace_back(items[i], items[i + 1]);
  }
}

void PickleMachine::append(const std::vector<Value::Ref>& items) {
  Value& target = top();
  if (!holds_items(target)) {
    refuse("it appends to something that is not a list");
  }
  target.items.insert(target.items.end(), items.begin(), items.end());
}

// Two's complement, little endian.
void PickleMachine::push_long(std::string_view digits) {
  std::uint64_t value = 0;
  const bool negative = !digits.empty() &&
      (static_cast<unsigned char>(digits.back()) & 0x80) != 0;
  for (std::size_t i = 0; i < sizeof(value); ++i) {
    const std::uint64_t byte = i < digits.size()
        ? static_cast<unsigned char>(digits[i])
        : (negative ? 0xFF : 0);
    value |= byte << (8 * i);
  }
  push_integer(std::bit_cast<std::int64_t>(value));
}

void PickleMachine::push_line_integer() {
  std::string_view text = line();
  if (text == "00" || text == "01") { // protocol 0's booleans
    push_bool(text == "01");
    return;
  }
  if (text.ends_with('L')) {
    text.remove_suffix(1);
  }
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() ||
      (error != std::errc() && error != std::errc::result_out_of_range)) {
    refuse("'{}' is not a whole number", printable(text.substr(0, 40)));
  }
  push_integer(value);
}

std::string_view PickleMachine::quoted(std::string_view text) {
  if (text.size() < 2 || text.front() != text.back() ||
      (text.front() != '\'' && text.front() != '"')) {
    refuse("a text without quotation marks");
  }
  text = text.substr(1, text.size() - 2);
  if (text.find('\\') != std::string_view::npos) {
    refuse("a text of protocol 0 with a backslash is not read");
  }
  return text;
}

std::uint64_t PickleMachine::line_index() {
  const std::string_view text = line();
  std::uint64_t index = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) {
    refuse("'{}' is not a place in its memo", printable(text.substr(0, 40)));
  }
  return index;
}

void PickleMachine::build() {
  const Value& state = pop();
  Value& target = top();
  if (!target.is(Kind::kCall)) {
    refuse("it gives a state to something that is not an object");
  }
  target.state = &state;
}

void PickleMachine::dict() {
  const std::vector<Value::Ref> items = pop_to_mark();
  push(make(Kind::kDict));
  set_entries(items);
}

void PickleMachine::stack_global() {
  const Value& name = pop();
  const Value& module = pop();
  if (!name.is(Kind::kText) || !module.is(Kind::kText)) {
    refuse("the name of a class is not a text");
  }
  push_global(module.text, name.text);
}

void PickleMachine::instance() {
  const std::string_view module = line();
  const std::string_view name = line();
  std::vector<Value::Ref> arguments = pop_to_mark();
  push_global(module, name);
  const Value& callee = pop();
  push_call(callee, std::move(arguments));
}

void PickleMachine::object() {
  std::vector<Value::Ref> items = pop_to_mark();
  if (items.empty()) {
    refuse("an object without a class");
  }
  const Value& callee = *items.front();
  items.erase(items.begin());
  push_call(callee, std::move(items));
}

// Arguments by name are not kept: nothing that holds weights has them.
void PickleMachine::new_object_ex() {
  pop();
  const Value& arguments = pop();
  const Value& callee = pop();
  push_call(callee, arguments);
}

// A real number as text; what it says matters to nobody here.
void PickleMachine::push_line_real() {
  double value = 0.0;
  parse_double(line(), value);
  make_real(value);
}

void PickleMachine::push_real() {
  make_real(std::bit_cast<double>(__builtin_bswap64(number<std::uint64_t>())));
}

const PickleMachine::Instruction PickleMachine::kInstructions[] = {
    // Constants.
    {'N', [](PickleMachine& m) { m.push(m.none_); }},
    {0x88, [](PickleMachine& m) { m.push_bool(true); }},
    {0x89, [](PickleMachine& m) { m.push_bool(false); }},
    {'I', [](PickleMachine& m) { m.push_line_integer(); }},
    {'L', [](PickleMachine& m) { m.push_line_integer(); }},
    {'J', [](PickleMachine& m) { m.push_integer(m.number<std::int32_t>()); }},
    {'K', [](PickleMachine& m) { m.push_integer(m.number<std::uint8_t>()); }},
    {'M', [](PickleMachine& m) { m.push_integer(m.number<std::uint16_t>()); }},
    {0x8a,
     [](PickleMachine& m) { m.push_long(m.take(m.number<std::uint8_t>())); }},
    {0x8b,
     [](PickleMachine& m) { m.push_long(m.take(m.number<std::uint32_t>())); }},
    {'F', [](PickleMachine& m) { m.push_line_real(); }},
    {'G', [](PickleMachine& m) { m.push_real(); }},
    // Texts and bytes.
    {'S',
     [](PickleMachine& m) { m.push_text(Kind::kText, m.quoted(m.line())); }},
    {'V', [](PickleMachine& m) { m.push_text(Kind::kText, m.line()); }},
    {'T', [](PickleMachine& m) { m.push_sized<std::uint32_t>(Kind::kText); }},
    {'U', [](PickleMachine& m) { m.push_sized<std::uint8_t>(Kind::kText); }},
    {'X', [](PickleMachine& m) { m.push_sized<std::uint32_t>(Kind::kText); }},
    {0x8c, [](PickleMachine& m) { m.push_sized<std::uint8_t>(Kind::kText); }},
    {0x8d, [](PickleMachine& m) { m.push_sized<std::uint64_t>(Kind::kText); }},
    {'B', [](PickleMachine& m) { m.push_sized<std::uint32_t>(Kind::kBytes); }},
    {'C', [](PickleMachine& m) { m.push_sized<std::uint8_t>(Kind::kBytes); }},
    {0x8e, [](PickleMachine& m) { m.push_sized<std::uint64_t>(Kind::kBytes); }},
    {0x96, [](PickleMachine& m) { m.push_sized<std::uint64_t>(Kind::kBytes); }},
    // Containers.
    {'(', [](PickleMachine& m) { m.push_mark(); }},
    {')', [](PickleMachine& m) { m.push_items(Kind::kTuple, {}); }},
    {'t',
     [](PickleMachine& m) { m.push_items(Kind::kTuple, m.pop_to_mark()); }},
    {0x85, [](PickleMachine& m) { m.push_tuple(1); }},
    {0x86, [](PickleMachine& m) { m.push_tuple(2); }},
    {0x87, [](PickleMachine& m) { m.push_tuple(3); }},
    {']', [](PickleMachine& m) { m.push_items(Kind::kList, {}); }},
    {'l', [](PickleMachine& m) { m.push_items(Kind::kList, m.pop_to_mark()); }},
    {'a', [](PickleMachine& m) { m.append_one(); }},
    {'e', [](PickleMachine& m) { m.append(m.pop_to_mark()); }},
    {0x8f, [](PickleMachine& m) { m.push_items(Kind::kList, {}); }},
    {0x90, [](PickleMachine& m) { m.append(m.pop_to_mark()); }},
    {0x91,
     [](PickleMachine& m) { m.push_items(Kind::kList, m.pop_to_mark()); }},
    {'}', [](PickleMachine& m) { m.push(m.make(Kind::kDict)); }},
    {'d', [](PickleMachine& m) { m.dict(); }},
    {'s', [](PickleMachine& m) { m.set_one(); }},
    {'u', [](PickleMachine& m) { m.set_entries(m.pop_to_mark()); }},
    // Objects.
    {'c', [](PickleMachine& m) { m.line_global(); }},
    {0x93, [](PickleMachine& m) { m.stack_global(); }},
    {'R', [](PickleMachine& m) { m.reduce(); }},
    {0x81, [](PickleMachine& m) { m.reduce(); }},
    {0x92, [](PickleMachine& m) { m.new_object_ex(); }},
    {'i', [](PickleMachine& m) { m.instance(); }},
    {'o', [](PickleMachine& m) { m.object(); }},
    {'b', [](PickleMachine& m) { m.build(); }},
    {'P',
     [](PickleMachine& m) {
       m.push_text(Kind::kText, m.line());
       m.push_persistent(m.pop());
     }},
    {'Q', [](PickleMachine& m) { m.push_persistent(m.pop()); }},
    // Stack and memo.
    {'0', [](PickleMachine& m) { m.pop(); }},
    {'1', [](PickleMachine& m) { m.pop_to_mark(); }},
    {'2', [](PickleMachine& m) { m.push(m.top()); }},
    {'p', [](PickleMachine& m) { m.put(m.line_index()); }},
    {'q', [](PickleMachine& m) { m.put(m.number<std::uint8_t>()); }},
    {'r', [](PickleMachine& m) { m.put(m.number<std::uint32_t>()); }},
    {0x94, [](PickleMachine& m) { m.put(m.memo_.size()); }},
    {'g', [](PickleMachine& m) { m.get(m.line_index()); }},
    {'h', [](PickleMachine& m) { m.get(m.number<std::uint8_t>()); }},
    {'j', [](PickleMachine& m) { m.get(m.number<std::uint32_t>()); }},
    // The stream itself.
    {0x80, [](PickleMachine& m) { m.number<std::uint8_t>(); }},
    {0x95, [](PickleMachine& m) { m.number<std::uint64_t>(); }},
    {0x98, [](PickleMachine&) {}},
    {'.', [](PickleMachine& m) { m.stopped_ = true; }},
};

void PickleMachine::run() {
  using Perform = void (*)(PickleMachine&);
  static const auto kByCode = [] {
    std::array<Perform, 256> table{};
    for (const Instruction& instruction : kInstructions) {
      table[instruction.code] = instruction.perform;
    }
    return table;
  }();
  while (!stopped_) {
    const auto code = number<unsigned char>();
    const Perform perform = kByCode[code];
    if (perform == nullptr) {
      refuse("instruction 0x{:02x}, which no weights need", code);
    }
    perform(*this);
  }
  pickle_.root_ = &pop();
  pickle_.size_ = at_;
}

Pickle::Pickle(std::string_view bytes, const std::string& source) {
  PickleMachine(*this, bytes, source).run();
}

} // namespace vitrain::weights
