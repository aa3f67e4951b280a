#pragma once

#include <string>
#include <string_view>

namespace vitrain {

// URLs in texts, and the user information (USER:PASSWORD@) that they may
// contain, which must not appear in records or messages. A URL ends at a blank
// or control character.

// Returns true if a URL in the text has user information.
bool has_user_info(std::string_view text);

// Returns the text with *** in place of the user information of each URL:
// "http://***@host:5000".
std::string hide_user_info(std::string_view text);

// Returns the text without the user information of each URL:
// "http://host:5000".
std::string remove_user_info(std::string_view text);

} // namespace vitrain
