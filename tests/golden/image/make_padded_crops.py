"""Writes padded_crops13.csv: random crops after padding, as torchvision has them.

Needs torchvision 0.29, Pillow 13.0.0 and numpy; run in this folder. Each row is
DeiT's --src without its flip: Resize(size) and RandomCrop(size, padding,
padding_mode), whose draw is given: left and top count from the padded corner.
lefts and tops are the numbers that RandomCrop.get_params() draws from. Pixels
are stored as zlib.crc32; the sources are make_fixtures.pattern().
"""

import random

from make_fixtures import crc, for_this_pillow, pattern, write_rows
from PIL import Image
from torchvision.transforms import InterpolationMode, functional

SIZES = [(128, 32), (32, 128), (40, 40), (32, 32), (33, 47), (20, 9), (9, 20), (5, 64), (1, 40), (300, 200)]


def rows(rng):
    for width, height in SIZES:
        for size, padding, mode in [(32, 4, "constant"), (32, 4, "reflect"), (16, 0, "constant"), (9, 3, "reflect")]:
            image = Image.fromarray(pattern(width + height, width, height))
            resized = functional.resize(image, size, InterpolationMode.BICUBIC)
            padded = functional.pad(resized, padding, padding_mode=mode)
            lefts, tops = padded.width - size + 1, padded.height - size + 1
            places = {(0, 0), (lefts - 1, tops - 1), (rng.randrange(lefts), rng.randrange(tops))}
            for left, top in sorted(places):
                out = functional.crop(padded, top, left, size, size)
                yield [width, height, size, padding, mode, lefts, tops, left, top, crc(out)]


if __name__ == "__main__":
    header = "width height size padding mode lefts tops left top crc32"
    write_rows(for_this_pillow("padded_crops"), header.split(), list(rows(random.Random(5))))
