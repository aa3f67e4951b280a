"""Writes ranges/ and ranges.csv: files with more than 8 bits a sample.

Needs Pillow 13.0.0 and numpy; run in this folder. A row names a file, the range
(low and high; empty: none) and zlib.crc32 of the RGB bytes: without a range what
Image.open(...).convert("RGB") gives, with one what numpy scales the file's
samples to. clipped says whether grey samples are outside of 0 to 255, or
fractions of at most 1, without a range.
"""

import io
import zlib
from pathlib import Path

import numpy as np
from make_fixtures import GREY, GREY_ALPHA, RGB, png, write_rows
from PIL import Image

FOLDER = Path("ranges")
SHAPE = (11, 13)


def tiff(samples):
    out = io.BytesIO()
    Image.fromarray(samples).save(out, "TIFF")
    return out.getvalue()


def pgm(samples, largest):
    kind = "P5" if samples.ndim == 2 else "P6"
    header = f"{kind}\n{samples.shape[1]} {samples.shape[0]}\n{largest}\n"
    return header.encode() + samples.astype(">u2").tobytes()


def plain_pgm(samples, largest):
    header = f"P2\n{samples.shape[1]} {samples.shape[0]}\n{largest}\n"
    return (header + "\n".join(str(v) for v in samples.ravel()) + "\n").encode()


def files():
    """Name, bytes, samples [h, w] or [h, w, 3]."""
    rng = np.random.default_rng(1)
    wide = rng.integers(0, 65536, SHAPE)
    yield "wide.png", png(wide[..., None], GREY, 16), wide
    yield "wide_interlaced.png", png(wide[..., None], GREY, 16, True), wide
    dark = rng.integers(0, 256, SHAPE)
    yield "dark.png", png(dark[..., None], GREY, 16), dark
    alpha = np.stack([wide, wide[::-1]], -1)
    yield "alpha.png", png(alpha, GREY_ALPHA, 16), wide
    colours = rng.integers(0, 65536, (*SHAPE, 3))
    yield "colours.png", png(colours, RGB, 16), colours
    yield "wide.tif", tiff(wide.astype(np.uint16)), wide
    integers = rng.integers(-2000, 3000, SHAPE).astype(np.int32)
    yield "integers.tif", tiff(integers), integers
    numbers = rng.uniform(-20, 300, SHAPE).astype(np.float32)
    yield "numbers.tif", tiff(numbers), numbers
    fractions = rng.uniform(0, 1, SHAPE).astype(np.float32)
    yield "fractions.tif", tiff(fractions), fractions
    levels = rng.uniform(0, 255, SHAPE).astype(np.float32)
    yield "levels.tif", tiff(levels), levels
    yield "wide.pgm", pgm(wide, 65535), wide
    twelve = rng.integers(0, 4096, SHAPE)
    scaled = np.rint(twelve / 4095 * 65535)
    yield "twelve.pgm", pgm(twelve, 4095), scaled
    yield "twelve_plain.pgm", plain_pgm(twelve, 4095), scaled
    yield "dark_twelve.pgm", pgm(twelve % 16, 4095), np.rint(twelve % 16 / 4095 * 65535)
    yield "colours.ppm", pgm(colours, 65535), colours


def ranges(samples):
    yield None
    if samples.dtype.kind == "f" and samples.max() <= 1:
        yield 0.0, 1.0
    yield from [(0.0, 65535.0), (0.0, 4095.0), (-1000.5, 2000.0)]


def scaled(samples, span):
    low, high = span
    levels = np.rint(np.clip((samples.astype(np.float64) - low) / (high - low) * 255, 0, 255))
    levels = levels.astype(np.uint8)
    return levels if levels.ndim == 3 else np.stack([levels] * 3, -1)


def rows():
    FOLDER.mkdir(exist_ok=True)
    for name, data, samples in files():
        (FOLDER / name).write_bytes(data)
        grey = samples.ndim == 2 and name != "alpha.png" # of which Pillow keeps the high byte
        lost = samples.min() < 0 or samples.max() > 255 or (samples.dtype.kind == "f" and samples.max() <= 1)
        for span in ranges(samples):
            if span is None:
                pixels = np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))
            else:
                pixels = scaled(samples, span)
            low, high = span or ("", "")
            clipped = int(bool(grey and lost and span is None))
            yield [name, low, high, clipped, zlib.crc32(pixels.tobytes())]


if __name__ == "__main__":
    write_rows("ranges.csv", "file low high clipped crc32".split(), list(rows()))
