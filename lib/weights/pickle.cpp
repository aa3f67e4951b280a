#include "weights/pickle.h"

#include <array>

#include "weights/pickle_machine.h"

namespace vitrain::weights {

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
  static const auto by_code = [] {
    std::array<Perform, 256> table{};
    for (const Instruction& instruction : kInstructions) {
      table[instruction.code] = instruction.perform;
    }
    return table;
  }();
  while (!stopped_) {
    const auto code = number<unsigned char>();
    const Perform perform = by_code[code];
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
