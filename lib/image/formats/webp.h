#pragma once

#include <webp/demux.h>

#include <memory>

#include "image/formats/formats.h"

namespace vitrain::image::detail {

struct DeleteWebp {
  void operator()(WebPDemuxer* file) const { WebPDemuxDelete(file); }
};
// Parsed chunks of a WebP file; refers to the file's bytes.
using WebpFile = std::unique_ptr<WebPDemuxer, DeleteWebp>;

// Parses the chunks of a file; null if they are truncated or inconsistent.
WebpFile open_webp(Bytes bytes);

} // namespace vitrain::image::detail
