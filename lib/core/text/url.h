#pragma once

#include <string>
#include <string_view>

namespace vitrain {

// URLs in texts, and the user information (USER:PASSWORD@) that they may have,
// which no record or message may show. A URL ends at a blank.

// Whether a URL in the text has user information.
bool has_user_info(std::string_view text);

// The text with *** for the user information of each URL:
// "http://***@host:5000".
std::string hide_user_info(std::string_view text);

// The text without the user information of each URL: "http://host:5000".
std::string remove_user_info(std::string_view text);

} // namespace vitrain
