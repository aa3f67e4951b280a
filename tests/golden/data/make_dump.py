"""Writes dump.csv: what `vitrain data dump` has to write.

Needs Pillow 12.0.0 and torchvision 0.26. Run in this folder:

    python make_dump.py

Each row is a file of ../image/files through Resize and CenterCrop of
torchvision on Pillow's convert("RGB"); without -crop through Resize alone,
without -resize through CenterCrop alone, without both the decoded pixels.
The pixels are stored as zlib.crc32 of the RGB bytes, rows from the top.
"""

import csv
import zlib
from pathlib import Path

import PIL
from PIL import Image
from torchvision import transforms
from torchvision.transforms import InterpolationMode

FILES = Path("../image/files")
NAMES = ["rgb_420.jpg", "cmyk.jpg", "grey.jpg", "rgb_8.png", "palette_8.png"]
CASES = [(0, "bicubic", 0), (40, "bicubic", 32), (37, "bilinear", 29),
         (96, "bicubic", 64), (24, "bilinear", 24), (20, "bicubic", 31), (40, "bicubic", 0),
         (100, "box", 0), (0, "bicubic", 32), (0, "bicubic", 45),
         (0, "bicubic", 55), (0, "bicubic", 70)]

assert PIL.__version__ == "12.0.0", PIL.__version__

with open("dump.csv", "w", newline="") as out:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["file", "resize", "filter", "crop", "width", "height", "crc"])
    for name in NAMES:
        image = Image.open(FILES / name).convert("RGB")
        for resize, filter_name, crop in CASES:
            result = image
            if resize:
                mode = InterpolationMode(filter_name)
                result = transforms.Resize(resize, interpolation=mode)(image)
            if crop:
                result = transforms.CenterCrop(crop)(result)
            writer.writerow([name, resize, filter_name, crop, *result.size,
                             zlib.crc32(result.tobytes())])
