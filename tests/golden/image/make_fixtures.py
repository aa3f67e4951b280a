"""Writes the fixtures of tests/unit/image from the originals.

Needs Pillow 12, numpy, torch, torchvision and timm (for the transforms).
Pillow 13 filters rows before columns when the height shrinks much more than
the width (its pull request 9549), which changes single bits; results that are
published were made before it. Run in this folder:

    python make_fixtures.py [imagenet-sample.tar]

Expected pixels are stored as zlib.crc32 of the RGB bytes, rows from the top:

    decode.csv     files/* as Image.open(...).convert("RGB") gives them
    resize.csv     Image.resize on generated pixels
    transform.csv  timm's evaluation transform, torchvision's resized_crop
    imagenet.csv   some members of the tar file, if one is given
"""

import csv
import io
import random
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


# --- resize and transforms ----------------------------------------------------

FILTERS = {"bilinear": Image.Resampling.BILINEAR, "bicubic": Image.Resampling.BICUBIC}


def make_resize():
    rng = random.Random(0)
    rows = []
    for seed in range(400):
        largest = rng.choice([4, 20, 90, 300])
        width, height = rng.randint(1, largest), rng.randint(1, largest)
        to = [rng.choice([side, rng.randint(1, 2 * side), rng.randint(1, 64)]) for side in (width, height)]
        name = rng.choice(list(FILTERS))
        box = [0, 0, width, height]
        if rng.random() < 0.6:
            # Binary fractions: the same number in text, double and float.
            for low, high, side in ((0, 2, width), (1, 3, height)):
                a, b = sorted(rng.sample(range(side * 64 + 1), 2))
                if rng.random() < 0.8:
                    box[low], box[high] = a / 64, b / 64
        image = Image.fromarray(pattern(seed, width, height))
        out = image.resize(tuple(to), FILTERS[name], box=tuple(box))
        rows.append([seed, width, height, *to, name, *box, crc(out)])
    header = "seed width height to_width to_height filter left top right bottom crc32"
    write_rows("resize.csv", header.split(), rows)


def make_transform():
    import timm.data
    from torchvision.transforms import InterpolationMode
    from torchvision.transforms import functional

    rng = random.Random(1)
    rows = []
    for seed in range(120):
        size = rng.choice([8, 17, 32, 64])
        width, height = (max(1, int(size * rng.uniform(0.3, 4))) for _ in range(2))
        if seed % 6 == 0:
            height = width
        if seed % 15 == 0:
            width = height = size
        name = rng.choice(list(FILTERS))
        pct = rng.choice([0.875, 0.9, 0.95, 0.96, 0.97, 0.99, 1.0])
        image = Image.fromarray(pattern(seed, width, height))
        transform = timm.data.create_transform(
            (3, size, size), is_training=False, use_prefetcher=True, interpolation=name, crop_pct=pct
        )
        out = transform(image)
        pixels = np.ascontiguousarray(np.asarray(out).transpose(1, 2, 0))
        rows.append(["eval", seed, width, height, size, name, pct, 0, 0, 0, 0, zlib.crc32(pixels.tobytes())])

        w, h = rng.randint(1, width), rng.randint(1, height)
        left, top = rng.randint(0, width - w), rng.randint(0, height - h)
        mode = InterpolationMode(name)
        out = functional.resized_crop(image, top, left, h, w, [size, size], mode)
        rows.append(["crop", seed, width, height, size, name, 1, left, top, w, h, crc(out)])
    header = "kind seed width height size filter crop_pct left top crop_width crop_height crc32"
    write_rows("transform.csv", header.split(), rows)


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
    make_resize()
    make_transform()
    if len(sys.argv) > 1:
        make_imagenet(sys.argv[1])
