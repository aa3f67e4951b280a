#include "weights/pickle_machine.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <span>

namespace vitrain::weights {

namespace {

// Modules whose functions start programs or run code, or are otherwise unsafe.
// Nothing is called, but a file that would call one is rejected as unsafe. A
// name that the file only mentions (such as a class in its settings) is
// allowed.
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
  return module == "builtins" || module == "__builtin__" ||
      module == "__builtins__";
}

std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind('.') + 1); // npos + 1 == 0
}

// True if calling `name` of `module` may harm: start programs, run code, open
// files, change objects. `name` may go through other objects: "os.system" of a
// module that imports os.
bool starts_program(std::string_view module, std::string_view name) {
  std::string_view owner = module;
  bool refused = contains(kRefused, owner);
  for (std::size_t dot = name.find('.'); dot != name.npos;
       dot = name.find('.')) {
    owner = name.substr(0, dot);
    refused = refused || contains(kRefused, owner);
    name.remove_prefix(dot + 1);
  }
  return refused || (is_builtins(owner) && contains(kRefusedBuiltins, name));
}

} // namespace

std::string_view PickleMachine::take(std::uint64_t count) {
  if (count > bytes_.size() - at_) {
    refuse("it ends within {} bytes", count);
  }
  const std::string_view taken = bytes_.substr(at_, count);
  at_ += count;
  return taken;
}

std::string_view PickleMachine::line() {
  const std::size_t end = bytes_.find('\n', at_);
  if (end == std::string_view::npos) {
    refuse("it ends within a line");
  }
  const std::string_view text = take(end - at_);
  ++at_;
  return text;
}

PickleValue& PickleMachine::make(Kind kind) {
  if (pickle_.values_.size() >= kMostValues) {
    refuse("more than {} values", with_commas(kMostValues));
  }
  PickleValue& value = pickle_.values_.emplace_back();
  value.kind = kind;
  return value;
}

void PickleMachine::push(PickleValue& value) {
  if (stack_.size() >= kMostValues) {
    refuse("a stack of more than {} values", with_commas(kMostValues));
  }
  stack_.push_back(&value);
}

PickleValue& PickleMachine::top() {
  if (stack_.size() <= floor()) {
    refuse("an instruction finds no value on the stack");
  }
  return *stack_.back();
}

std::size_t PickleMachine::pop_mark() {
  if (marks_.empty()) {
    refuse("an instruction finds no mark on the stack");
  }
  const std::size_t mark = marks_.back();
  marks_.pop_back();
  return mark;
}

std::vector<PickleValue::Ref> PickleMachine::pop_to_mark() {
  const std::size_t mark = pop_mark();
  std::vector<PickleValue::Ref> items(
      stack_.begin() + static_cast<std::ptrdiff_t>(mark), stack_.end());
  stack_.resize(mark);
  return items;
}

void PickleMachine::push_call(
    const PickleValue& callee,
    const PickleValue& arguments) {
  if (!callee.is(PickleValue::Kind::kGlobal)) {
    refuse("it calls something that is not a class or a function");
  }
  if (callee.starts_program) {
    refuse(
        "it names {}, with which a program would be started: this is no file "
        "of weights (nothing of it was executed)",
        printable(callee.text));
  }
  if (is_attribute(callee, arguments)) {
    push_attribute(*arguments.items[0], arguments.items[1]->text);
    return;
  }
  PickleValue& made = make(PickleValue::Kind::kCall);
  made.callee = &callee;
  made.arguments = &arguments;
  push(made);
}

void PickleMachine::push_tuple(std::size_t count) {
  std::vector<PickleValue::Ref> items(count);
  for (std::size_t i = count; i-- > 0;) {
    items[i] = &pop();
  }
  push_items(PickleValue::Kind::kTuple, std::move(items));
}

void PickleMachine::get(std::uint64_t index) {
  const auto found = memo_.find(index);
  if (found == memo_.end()) {
    refuse("it takes value {} of its memo, which is not there", index);
  }
  push(*found->second);
}

void PickleMachine::push_mark() {
  if (marks_.size() >= kMostValues) {
    refuse("more than {} marks", with_commas(kMostValues));
  }
  marks_.push_back(stack_.size());
}

void PickleMachine::push_persistent(const PickleValue& id) {
  PickleValue& made = make(PickleValue::Kind::kPersistent);
  made.arguments = &id;
  push(made);
  pickle_.persistent_.push_back(&made);
}

void PickleMachine::make_real(double value) {
  PickleValue& made = make(PickleValue::Kind::kReal);
  made.real = value;
  push(made);
}

void PickleMachine::push_global(
    std::string_view module,
    std::string_view name) {
  if (module.size() + name.size() > kLongestGlobal) {
    refuse(
        "the name of a class has more than {} characters",
        with_commas(kLongestGlobal));
  }
  PickleValue& made = make(Kind::kGlobal);
  made.text = keep(fmt::format("{}.{}", module, name));
  made.starts_program = starts_program(module, name);
  push(made);
}

// Returns true for a call of getattr, with which pickles before protocol 4
// refer to nested classes and to methods.
bool PickleMachine::is_attribute(
    const PickleValue& callee,
    const PickleValue& arguments) {
  return (callee.is_global("builtins.getattr") ||
          callee.is_global("__builtin__.getattr")) &&
      arguments.items.size() == 2 && arguments.items[0]->is(Kind::kGlobal) &&
      arguments.items[1]->is(Kind::kText);
}

void PickleMachine::push_attribute(
    const PickleValue& owner,
    std::string_view name) {
  push_global(owner.text, name);
  PickleValue& made = top();
  made.starts_program = made.starts_program || owner.starts_program ||
      starts_program(last_part(owner.text), name);
}

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

// Pushes an integer given in two's complement, little endian; only the first 8
// bytes count.
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

// Executes NEWOBJ_EX; ignores keyword arguments, since no object that contains
// weights has them.
void PickleMachine::new_object_ex() {
  pop();
  const Value& arguments = pop();
  const Value& callee = pop();
  push_call(callee, arguments);
}

// Parses a real number in text form; an invalid one gets an unspecified value.
void PickleMachine::push_line_real() {
  double value = 0.0;
  parse_double(line(), value);
  make_real(value);
}

void PickleMachine::push_real() {
  make_real(std::bit_cast<double>(__builtin_bswap64(number<std::uint64_t>())));
}

} // namespace vitrain::weights
