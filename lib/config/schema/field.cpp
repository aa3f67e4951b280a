#include "config/schema/field.h"

namespace vitrain::config {

Rules& Rules::in_range(std::int64_t first, std::int64_t last) {
  return at_least(static_cast<double>(first))
      .at_most(static_cast<double>(last));
}

Rules& Rules::one_of_or_at_least(std::int64_t special, std::int64_t first) {
  field_.exception = static_cast<double>(special);
  return at_least(static_cast<double>(first));
}

Rules& Rules::not_empty() {
  field_.not_empty = true;
  return *this;
}

Rules& Rules::file_name() {
  field_.file_name = true;
  return *this;
}

Rules& Rules::none_word(const char* word) {
  field_.none = word;
  return *this;
}

Rules& Rules::each_of(std::initializer_list<const char*> choices) {
  field_.choices.assign(choices.begin(), choices.end());
  return *this;
}

Rules& Rules::one_or_list() {
  field_.one_or_list = true;
  return *this;
}

Rules& Rules::written_as(
    const char* form,
    std::string (*fault_of)(const std::string&)) {
  field_.form = form;
  field_.fault_of = fault_of;
  return *this;
}

Rules& Rules::ascending() {
  field_.ascending = true;
  return *this;
}

Rules& Rules::needs(const char* text, std::function<bool()> met) {
  field_.needs = text;
  field_.needs_met = std::move(met);
  return *this;
}

Rules& Rules::low(double value, bool inclusive) {
  field_.low = Bound{value, inclusive};
  return *this;
}

Rules& Rules::high(double value, bool inclusive) {
  field_.high = Bound{value, inclusive};
  return *this;
}

} // namespace vitrain::config
