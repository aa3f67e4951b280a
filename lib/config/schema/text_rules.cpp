#include "config/schema/text_rules.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "core/text.h"
#include "core/url.h"

namespace vitrain::config {

bool clean(const std::string& text) {
  const auto control = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  };
  return std::ranges::none_of(text, control) && valid_utf8(text) == text;
}

std::string refuse_user_info(const Field& field, const std::string& text) {
  const bool takes_url = field.form != nullptr &&
      std::string_view(field.form).starts_with("http://");
  // An address without a scheme may contain a password too.
  if (!has_user_info(text) &&
      !(takes_url && text.find('@') != std::string::npos)) {
    return "";
  }
  return fmt::format(
      "a URL with user information (USER:PASSWORD@), which records of the run "
      "would show: leave it out{}",
      takes_url ? "; the server gets MLFLOW_TRACKING_USERNAME and "
                  "MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN, from "
                  "the environment"
                : "");
}

} // namespace vitrain::config
