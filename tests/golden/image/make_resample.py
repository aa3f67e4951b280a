"""Writes resample.csv or resample13.csv: Image.resize with every filter.

Needs numpy, and Pillow 12.0.0 for the one, 13.0.0 for the other; run in this
folder. Expected pixels are stored as
zlib.crc32 of the RGB bytes; the sources are make_fixtures.pattern().
"""

import random

import PIL
from make_fixtures import crc, for_this_pillow, pattern, write_rows
from PIL import Image

FILTERS = ["nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"]
EXTREME = [(1, 1), (1, 5000), (5000, 1), (1, 10000), (10000, 1), (3, 2000), (2000, 3)]


def side(rng):
    return rng.randint(1, rng.choice([2, 8, 40, 100, 220]))


def changed_cases(rng):
    """Where Pillow 13 differs: both sides of its border, with and without boxes."""
    for i in range(70):
        width, height = rng.randint(2, 90), rng.randint(3, 160)
        lower = rng.randint(0, height - 1)
        narrower = rng.choice([lower // 2, (lower + 1) // 2, lower // 2 + 1, lower // 2 - 1,
                               -rng.randint(0, 60), rng.randint(-10, width - 1)])
        to = max(1, width - narrower), height - lower
        box = (0, 0, width, height)
        if i % 3 == 0:
            box = (0.25, 1.5, width - 0.5, height - 0.75)
        yield (width, height), to, box


def cases(rng):
    """Source size, result size, box."""
    for source in EXTREME:
        for to in [(1, 1), (7, 5), (64, 48), source, (source[0], 9), (300, source[1])]:
            if to[0] * to[1] <= 20000:
                yield source, to, (0, 0, *source)
    for _ in range(180):
        source = side(rng), side(rng)
        to = tuple(rng.choice([s, rng.randint(1, 2 * s), rng.randint(1, 64)]) for s in source)
        box = [0, 0, *source]
        if rng.random() < 0.6:
            # Binary fractions: the same number in text, double and float.
            for axis in (0, 1):
                if rng.random() < 0.8:
                    a, b = sorted(rng.sample(range(source[axis] * 64 + 1), 2))
                    box[axis], box[axis + 2] = a / 64, b / 64
                elif rng.random() < 0.5:
                    # Whole pixels, perhaps the size of the result.
                    a, b = sorted(rng.sample(range(source[axis] + 1), 2))
                    box[axis], box[axis + 2] = a, b
        yield source, to, tuple(box)


def make_resample():
    rng = random.Random(2)
    rows = []
    chosen = cases if PIL.__version__.startswith("12.") else changed_cases
    for seed, (source, to, box) in enumerate(chosen(rng)):
        image = Image.fromarray(pattern(seed, *source))
        for name in FILTERS:
            out = image.resize(to, Image.Resampling[name.upper()], box=box)
            rows.append([seed, *source, *to, name, *box, crc(out)])
    header = "seed width height to_width to_height filter left top right bottom crc32"
    write_rows(for_this_pillow("resample"), header.split(), rows)


if __name__ == "__main__":
    make_resample()
