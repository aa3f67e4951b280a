#pragma once

#include <optional>

#include <fmt/format.h>

#include "core/error.h"

namespace vitrain::job {

// Collects the errors of independent steps, to be thrown as one.
class Failures {
 public:
  // Runs `step`. If it throws an Error, stores the Error and returns false;
  // otherwise returns true.
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
  // Throws one Error with all messages and the first error's exit code; does
  // nothing if there are none.
  void throw_if_any() const {
    if (first_) {
      throw Error(*first_);
    }
  }

 private:
  std::optional<Error> first_;
};

} // namespace vitrain::job
