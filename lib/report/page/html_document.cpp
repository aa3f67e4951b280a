#include "report/page/html_document.h"

#include <random>
#include <string_view>

#include <fmt/format.h>

#include "core/base64.h"
#include "core/system/clock.h"
#include "core/system/files.h"
#include "report/page/embedded.h"
#include "report/page/markup.h"

namespace vitrain::report {
namespace {

// Removes the source map comment.
std::string_view without_map(std::string_view script) {
  return script.substr(0, script.rfind("\n//# sourceMappingURL="));
}

std::string_view without_style_map(std::string_view style) {
  return style.substr(0, style.rfind("\n/*# sourceMappingURL="));
}

} // namespace

PageOptions page_options() {
  std::random_device random;
  std::string bytes;
  for (int i = 0; i < 16; ++i) {
    bytes += static_cast<char>(random() & 0xFFU);
  }
  std::string nonce;
  append_base64(nonce, bytes);
  return {
      .program = program_path().native(),
      .time = local_time("%Y-%m-%d %H:%M:%S"),
      .nonce = nonce};
}

std::string document(
    const std::string& title,
    const std::string& body,
    const Json& data,
    const PageOptions& options) {
  std::string out;
  out.reserve(body.size() + (std::size_t{1} << 20));
  out += fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
      "'none'; script-src 'nonce-{0}'; style-src 'unsafe-inline'; img-src "
      "data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light "
      "dark\">\n"
      "<meta name=\"generator\" content=\"vitrain\">\n"
      "<title>{1}</title>\n<style>\n",
      options.nonce,
      html(title));
  out += without_style_map(dygraphs_style());
  out += '\n';
  out += page_style();
  out += "</style>\n</head>\n<body>\n<main>\n";
  out += body;
  out += fmt::format(
      "<footer><p>Written by vitrain at {}.</p><details><summary>Drawn with "
      "dygraphs (MIT licence)</summary><pre>{}</pre></details></footer>\n"
      "</main>\n<script type=\"application/json\" id=\"data\">",
      html(options.time),
      html(notices()));
  out += script_json(data);
  const std::string script =
      fmt::format("<script nonce=\"{}\">\n", options.nonce);
  out += "</script>\n" + script;
  out += without_map(dygraphs_script());
  out += "\n</script>\n" + script;
  out += page_script();
  out += "</script>\n</body>\n</html>\n";
  return out;
}

std::string section(const std::string& heading, const std::string& content) {
  return content.empty()
      ? ""
      : fmt::format(
            "<section>\n<h2>{}</h2>\n{}</section>\n", html(heading), content);
}

} // namespace vitrain::report
