#pragma once

#include <webp/demux.h>

#include <memory>

#include "image/formats/formats.h"

namespace vitrain::image::detail {

struct DeleteWebp {
  void operator()(WebPDemuxer* file) const { WebPDemuxDelete(file); }
};
// The chunks of a WebP file; points into its bytes.
using WebpFile = std::unique_ptr<WebPDemuxer, DeleteWebp>;

// Null when the chunks are truncated or contradict one another.
WebpFile open_webp(Bytes bytes);

} // namespace vitrain::image::detail
