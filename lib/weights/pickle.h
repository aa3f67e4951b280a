#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vitrain::weights {

// A value described by a pickle. Objects remain descriptions (callable and
// arguments): nothing is looked up, imported or called.
struct PickleValue {
  enum class Kind {
    kNone,
    kBool,
    kInteger, // beyond 64 bits: the lowest 64 bits, or 0 if written as text
    kReal,
    kText,
    kBytes,
    kList, // also sets
    kTuple,
    kDict,
    kGlobal, // a class or function, by name
    kCall, // result of calling `callee` with `arguments`
    kPersistent, // an object outside of the pickle, identified by `arguments`
  };
  using Ref = const PickleValue*; // in the same Pickle; null only where stated

  Kind kind = Kind::kNone;
  std::int64_t integer = 0; // kInteger, kBool
  double real = 0.0;
  // kText, kBytes; kGlobal: "module.name".
  std::string_view text;
  bool starts_program = false; // kGlobal: calling it is refused as unsafe
  // kList, kTuple: items; kCall: appended items.
  std::vector<Ref> items;
  // kDict: entries; kCall: entries set on the object.
  std::vector<std::pair<Ref, Ref>> entries;
  Ref callee = nullptr; // kCall
  Ref arguments = nullptr; // kCall, kPersistent
  Ref state = nullptr; // kCall: argument of __setstate__, or null

  bool is(Kind other) const { return kind == other; }
  bool is_global(std::string_view name) const {
    return kind == Kind::kGlobal && text == name;
  }
  bool is_call(std::string_view global) const {
    return kind == Kind::kCall && callee->kind == Kind::kGlobal &&
        callee->text == global;
  }
};

// A pickle of any protocol (0 to 5). Its texts point into the bytes that it was
// parsed from, which must outlive it.
class Pickle {
 public:
  // Parses a pickle at the beginning of `bytes`. `source` names it in messages.
  // Throws Error(kWeights) with the position of the problem.
  Pickle(std::string_view bytes, const std::string& source);

  const PickleValue& root() const { return *root_; }
  // Returns all persistent objects, in the order of the stream.
  const std::vector<PickleValue::Ref>& persistent() const {
    return persistent_;
  }
  std::size_t size() const { return size_; } // size of the pickle, in bytes

 private:
  friend class PickleMachine;
  std::deque<PickleValue> values_;
  std::deque<std::string> texts_; // texts that are not in the stream verbatim
  std::vector<PickleValue::Ref> persistent_;
  const PickleValue* root_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace vitrain::weights
