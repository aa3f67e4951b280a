#include "config/foreign/published_weights.h"

#include <algorithm>

#include "config/foreign/words.h"
#include "core/ascii.h"
#include "core/text.h"

namespace vitrain::config::foreign {
namespace {

constexpr PublishedImages kPublishedImages[] = {
#include "config/foreign/published_weights.inc"
};

// Reads [*]NAME[=REPOSITORY][:FILE], as make_timm_tables.py writes it; `*`:
// PublishedWeights::is_default.
PublishedWeights read_entry(
    std::string_view entry,
    const PublishedImages& images) {
  PublishedWeights found{.images = &images};
  found.is_default = entry.starts_with('*');
  entry.remove_prefix(found.is_default ? 1 : 0);
  const std::string_view whole = entry.substr(0, entry.find(':'));
  found.file = whole.size() < entry.size() ? entry.substr(whole.size() + 1)
                                           : std::string_view();
  const std::size_t equals = whole.find('=');
  found.name = whole.substr(0, equals);
  const std::size_t dot = found.name.find('.');
  found.network = found.name.substr(0, dot);
  if (found.is_torchvision()) {
    const std::string own =
        ascii_lower(found.network.substr(0, found.network.rfind('_')));
    const std::string_view renamed = name_of_torchvision(own);
    found.network = renamed.empty() ? own : renamed;
  } else if (equals != whole.npos) {
    found.repository = whole.substr(equals + 1);
  } else if (dot != whole.npos) {
    found.repository = "timm/" + std::string(found.name);
  }
  return found;
}

const std::vector<PublishedWeights>& all() {
  static const std::vector<PublishedWeights> entries = [] {
    std::vector<PublishedWeights> read;
    for (const PublishedImages& images : kPublishedImages) {
      std::string_view rest = images.names;
      while (!rest.empty()) {
        const std::string_view entry = rest.substr(0, rest.find(' '));
        read.push_back(read_entry(entry, images));
        rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
      }
    }
    std::ranges::stable_sort(read, {}, [](const PublishedWeights& one) {
      return one.is_default ? 0 : one.is_torchvision() ? 2 : 1;
    });
    return read;
  }();
  return entries;
}

} // namespace

std::vector<PublishedWeights> published_weights(std::string_view network) {
  std::vector<PublishedWeights> found;
  std::ranges::copy_if(
      all(), std::back_inserter(found), [&](const PublishedWeights& one) {
        return one.network == network;
      });
  return found;
}

std::optional<PublishedWeights> find_published(std::string_view name) {
  const auto found =
      std::ranges::find_if(all(), [&](const PublishedWeights& one) {
        return !name.empty() &&
            (one.name == name || one.file == name || one.repository == name);
      });
  return found == all().end() ? std::nullopt : std::optional(*found);
}

} // namespace vitrain::config::foreign
