"""Writes the fixtures of tests/unit/image from the originals.

Needs Pillow 12.0.0 and numpy. Run in this folder:

    python make_fixtures.py [imagenet-sample.tar]

Expected pixels are stored as zlib.crc32 of the RGB bytes, rows from the top:

    decode.csv     files/* as Image.open(...).convert("RGB") gives them
    imagenet.csv   some members of the tar file, if one is given
"""

import csv
import io
import struct
import sys
import tarfile
import zlib
from pathlib import Path

import numpy as np
import PIL
from PIL import Image

FILES = Path("files")


def pattern(seed, width, height):
    """Pixels from (seed, position): a 32-bit integer hash, its high byte."""
    v = np.arange(width * height * 3, dtype=np.uint64)
    v = (v + seed * 0x9E3779B9) & 0xFFFFFFFF
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        v ^= v >> np.uint64(shift)
        v = (v * factor) & 0xFFFFFFFF
    v ^= v >> np.uint64(16)
    return (v >> np.uint64(24)).astype(np.uint8).reshape(height, width, 3)


def smooth(seed, width, height):
    """Pixels that a JPEG can hold: the pattern, enlarged from a few pixels."""
    small = Image.fromarray(pattern(seed, 5, 4))
    return small.resize((width, height), Image.Resampling.BICUBIC)


def crc(image):
    return zlib.crc32(image.tobytes())


def for_this_pillow(name):
    """The file of what depends on Pillow's resizes: "NAME.csv" of 12.0.0, and
    "NAME13.csv" of 13.0.0. (12.2 and 12.3 resize what is more than 100 times as
    high as wide in a third way.)"""
    return name + {"12.0.0": ".csv", "13.0.0": "13.csv"}[PIL.__version__]


def write_rows(name, header, rows):
    with open(name, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


# --- JPEG ---------------------------------------------------------------------


def jpeg(image, **options):
    out = io.BytesIO()
    image.save(out, "JPEG", **options)
    return out.getvalue()


def as_ycck(data):
    """The same CMYK data, declared as YCCK: Adobe's transform flag set to 2."""
    at = data.index(b"Adobe") + 11
    assert data[at] == 0
    return data[:at] + b"\x02" + data[at + 1 :]


def with_marker(data, marker, body):
    """A segment put right after the start of the image."""
    return data[:2] + bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body + data[2:]


def jpegs():
    photo = smooth(1, 61, 47)
    yield "rgb_444.jpg", jpeg(photo, quality=90, subsampling=0)
    yield "rgb_422.jpg", jpeg(photo, quality=90, subsampling=1)
    yield "rgb_420.jpg", jpeg(photo, quality=75, subsampling=2)
    yield "rgb_411.jpg", jpeg(photo, quality=75, subsampling="4:1:1")
    yield "low_quality.jpg", jpeg(photo, quality=5)
    yield "progressive.jpg", jpeg(photo, quality=80, progressive=True)
    yield "restarts.jpg", jpeg(photo, quality=80, restart_marker_blocks=3)
    yield "kept_rgb.jpg", jpeg(photo, quality=80, keep_rgb=True)
    yield "grey.jpg", jpeg(photo.convert("L"), quality=80)
    yield "grey_progressive.jpg", jpeg(photo.convert("L"), progressive=True)
    cmyk = Image.merge(
        "CMYK", [smooth(seed, 37, 29).getchannel(0) for seed in (2, 3, 4, 5)]
    )
    yield "cmyk.jpg", jpeg(cmyk, quality=90)
    yield "ycck.jpg", as_ycck(jpeg(cmyk, quality=90))
    yield "one_pixel.jpg", jpeg(smooth(6, 1, 1))
    yield "one_column.jpg", jpeg(smooth(7, 1, 50))
    yield "one_row.jpg", jpeg(smooth(8, 50, 1))
    exif = Image.Exif()
    exif[0x0112] = 6
    yield "turned_by_exif.jpg", jpeg(smooth(9, 20, 12), exif=exif)
    plain = jpeg(smooth(10, 20, 12))
    yield "trailing_garbage.jpg", plain + b"garbage" * 20
    yield "many_segments.jpg", with_marker(with_marker(plain, 0xED, b"x" * 999), 0xEE, b"y")
    yield "jpeg_named.png", plain


# --- PNG (written here: Pillow cannot write all kinds) --------------------------

GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGBA: 4}
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def packed_rows(samples, depth):
    """Rows of samples [h, w, c] as bytes, each behind filter type 0."""
    rows = b""
    for row in samples.reshape(samples.shape[0], -1):
        if depth == 16:
            body = row.astype(">u2").tobytes()
        else:
            bits = "".join(format(int(v), f"0{depth}b") for v in row)
            bits += "0" * (-len(bits) % 8)
            body = int(bits, 2).to_bytes(len(bits) // 8, "big")
        rows += b"\x00" + body
    return rows


def png(samples, colour, depth, interlace=False, extra=b""):
    height, width = samples.shape[:2]
    if interlace:
        data = b""
        for x, y, dx, dy in ADAM7:
            part = samples[y::dy, x::dx]
            if part.size:
                data += packed_rows(part, depth)
    else:
        data = packed_rows(samples, depth)
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, int(interlace))
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra
        + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")
    )


def pngs():
    rng = np.random.default_rng(0)
    kinds = [(GREY, d) for d in (1, 2, 4, 8, 16)] + [(PALETTE, d) for d in (1, 2, 4, 8)]
    kinds += [(c, d) for c in (RGB, GREY_ALPHA, RGBA) for d in (8, 16)]
    names = {GREY: "grey", RGB: "rgb", PALETTE: "palette", GREY_ALPHA: "grey_alpha", RGBA: "rgba"}
    for colour, depth in kinds:
        for interlace in (False, True):
            top = 2**depth
            extra = b""
            if colour == PALETTE:
                colours = rng.integers(0, 256, (top, 3), dtype=np.uint8)
                extra = chunk(b"PLTE", colours.tobytes())
                extra += chunk(b"tRNS", bytes(range(min(top, 200))))
            samples = rng.integers(0, top, (11, 13, CHANNELS[colour]))
            name = f"{names[colour]}_{depth}{'_interlaced' if interlace else ''}.png"
            yield name, png(samples, colour, depth, interlace, extra)
    samples = rng.integers(0, 256, (5, 7, 3))
    yield "rgb_transparent_colour.png", png(
        samples, RGB, 8, extra=chunk(b"tRNS", struct.pack(">HHH", *samples[0, 0]))
    )
    # Small 16-bit values, where the way of getting to 8 bits shows.
    yield "grey_16_dark.png", png(rng.integers(0, 600, (9, 9, 1)), GREY, 16)
    short = chunk(b"PLTE", bytes(range(90, 105)))
    yield "palette_index_beyond.png", png(rng.integers(0, 9, (6, 6, 1)), PALETTE, 8, extra=short)
    gamma = chunk(b"gAMA", struct.pack(">I", 100000))
    text = chunk(b"tEXt", b"Comment\x00" + b"t" * 5000)
    yield "gamma_and_text.png", png(samples, RGB, 8, extra=gamma + text)
    yield "one_pixel.png", png(rng.integers(0, 256, (1, 1, 3)), RGB, 8, True)
    yield "png_named.jpg", png(samples, RGB, 8)


def make_decode():
    FILES.mkdir(exist_ok=True)
    rows = []
    for name, data in [*jpegs(), *pngs()]:
        (FILES / name).write_bytes(data)
        image = Image.open(io.BytesIO(data)).convert("RGB")
        rows.append([name, image.width, image.height, crc(image)])
    write_rows("decode.csv", ["file", "width", "height", "crc32"], rows)


# --- ImageNet ------------------------------------------------------------------


def make_imagenet(path):
    rows = []
    with tarfile.open(path) as tar:
        members = [m for m in tar.getmembers() if m.isfile()]
        for member in members[::25]:
            image = Image.open(tar.extractfile(member)).convert("RGB")
            rows.append([member.name, image.width, image.height, crc(image)])
    write_rows("imagenet.csv", ["file", "width", "height", "crc32"], rows)


if __name__ == "__main__":
    assert PIL.__version__.startswith("12."), PIL.__version__
    make_decode()
    if len(sys.argv) > 1:
        make_imagenet(sys.argv[1])
