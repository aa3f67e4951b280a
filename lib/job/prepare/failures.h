#pragma once

#include <optional>

#include <fmt/format.h>

#include "core/error.h"

namespace vitrain::job {

// Errors of steps that do not need each other, to be thrown as one.
class Failures {
 public:
  // Runs `step` and keeps its Error. Returns whether it had none.
  template <typename Step>
  bool attempt(const Step& step) {
    try {
      step();
      return true;
    } catch (const Error& error) {
      first_.emplace(
          first_ ? first_->code() : error.code(),
          first_ ? fmt::format("{}\n{}", first_->what(), error.what())
                 : error.what());
      return false;
    }
  }

  bool empty() const { return !first_; }
  // Throws one Error with all texts and the first one's code.
  void throw_if_any() const {
    if (first_) {
      throw Error(*first_);
    }
  }

 private:
  std::optional<Error> first_;
};

} // namespace vitrain::job
