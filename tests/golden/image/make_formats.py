"""Writes tests/golden/image/formats: small files of every format and variant,
and formats.csv: what Pillow makes of them.

Needs Pillow 12.0.0, numpy, and cjpeg and jpegtran of libjpeg-turbo (Debian's
libjpeg-turbo-progs) for JPEGs that Pillow cannot write. Run in this folder:

    python make_formats.py

Where Pillow misreads a file, the expected pixels are those of another file that
it reads right (SAME_AS says which and why).

A row holds size and zlib.crc32 of Image.open(...).convert("RGB"), then the same
of ImageOps.exif_transpose of it. Where Pillow refuses malformed Exif data, the
second is the first: such data are ignored.

The files are also the seeds of the fuzzers in tests/fuzz.
"""

import io
import struct
import subprocess
import warnings
import zlib
from pathlib import Path

import numpy as np
import PIL
from make_fixtures import GREY, PALETTE, RGB, chunk, crc, jpeg, pattern, png, smooth, with_marker, write_rows
from PIL import Image, ImageOps

FILES = Path("formats")


def tool(name, *options, data):
    return subprocess.run([name, *options], input=data, stdout=subprocess.PIPE, check=True).stdout


# --- JPEG ---------------------------------------------------------------------


def jpegs():
    photo = smooth(11, 61, 47)
    ppm = io.BytesIO()
    photo.save(ppm, "PPM")
    ppm = ppm.getvalue()
    grey = io.BytesIO()
    photo.convert("L").save(grey, "PPM")
    for sample in ("4x1", "1x2", "2x1", "4x2", "2x4", "1x4", "3x1", "3x2", "2x2,1x2,2x1", "1x1,2x2,1x1"):
        name = sample.replace(",", "_")
        yield f"sample_{name}.jpg", tool("cjpeg", "-sample", sample, data=ppm)
        yield f"sample_{name}_progressive.jpg", tool("cjpeg", "-progressive", "-sample", sample, data=ppm)
    yield "arithmetic.jpg", tool("cjpeg", "-arithmetic", data=ppm)
    yield "arithmetic_progressive.jpg", tool("cjpeg", "-arithmetic", "-progressive", data=ppm)
    yield "arithmetic_restarts.jpg", tool("cjpeg", "-arithmetic", "-restart", "1", data=ppm)
    yield "optimised_restarts.jpg", tool("cjpeg", "-optimize", "-restart", "2B", data=ppm)
    yield "grey_restarts.jpg", tool("cjpeg", "-grayscale", "-restart", "1", data=ppm)
    yield "rgb_coded.jpg", tool("cjpeg", "-rgb", data=ppm)
    yield "quality_100.jpg", tool("cjpeg", "-quality", "100", data=ppm)
    yield "quality_1.jpg", tool("cjpeg", "-quality", "1", data=ppm)  # 16-bit quantisation tables
    scans = Path("scans.txt")
    scans.write_text("0;\n1;\n2;\n")
    yield "three_scans.jpg", tool("cjpeg", "-scans", str(scans), data=ppm)
    scans.unlink()
    bands = [smooth(seed, 37, 29).getchannel(0) for seed in (12, 13, 14, 15)]
    cmyk = jpeg(Image.merge("CMYK", bands), quality=90)
    ycck = cmyk.replace(b"Adobe\x00d\x00\x00\x00\x00\x00", b"Adobe\x00d\x00\x00\x00\x00\x02")
    assert cmyk != ycck
    yield "cmyk_progressive.jpg", tool("jpegtran", "-copy", "all", "-progressive", data=cmyk)
    yield "ycck_restarts.jpg", tool("jpegtran", "-copy", "all", "-restart", "1", data=ycck)
    at = cmyk.index(b"\xff\xee")
    length = struct.unpack(">H", cmyk[at + 2 : at + 4])[0]
    yield "cmyk_without_adobe.jpg", cmyk[:at] + cmyk[at + 2 + length :]
    mpo = io.BytesIO()
    photo.save(mpo, "MPO", save_all=True, append_images=[smooth(16, 20, 10)])
    yield "two_images.mpo", mpo.getvalue()
    yield "wide.jpg", jpeg(smooth(17, 5000, 1))
    yield "high.jpg", jpeg(smooth(18, 1, 5000))
    yield "fill_bytes.jpg", jpeg(smooth(19, 9, 9)).replace(b"\xff\xdb", b"\xff\xff\xff\xdb", 1)
    # 16-bit values that look like markers inside segments.
    yield "marker_in_comment.jpg", with_marker(jpeg(smooth(20, 9, 9)), 0xFE, b"\xff\xda\xff\xd9" * 9)


# --- PNG: kinds that make_fixtures.py does not have -----------------------------


def saved(image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def pngs():
    photo = smooth(21, 40, 30)
    yield "filters.png", saved(photo, "PNG", optimize=True)
    yield "animated.png", saved(photo, "PNG", save_all=True, append_images=[smooth(22, 40, 30)], duration=9)
    frames = [smooth(22, 20, 10), smooth(23, 20, 10)]
    yield "animated_default.png", saved(
        smooth(24, 20, 10), "PNG", save_all=True, append_images=frames, default_image=True, duration=9
    )
    rng = np.random.default_rng(1)
    grey = rng.integers(0, 2, (9, 17, 1))
    yield "grey_1_transparent.png", png(grey, GREY, 1, extra=chunk(b"tRNS", b"\x00\x01"))
    samples = rng.integers(0, 256, (7, 7, 1))
    yield "grey_8_transparent.png", png(samples, GREY, 8, extra=chunk(b"tRNS", b"\x00\x40"))
    wide = rng.integers(0, 65536, (7, 7, 3))
    yield "rgb_16_transparent.png", png(wide, RGB, 16, extra=chunk(b"tRNS", b"\x12\x34" * 3))
    icc = chunk(b"iCCP", b"name\x00\x00" + zlib.compress(b"not a profile"))
    yield "bad_profile.png", png(rng.integers(0, 256, (3, 3, 3)), RGB, 8, extra=icc)
    whole = png(rng.integers(0, 256, (30, 30, 3)), RGB, 8)
    at = whole.index(b"IDAT")
    length = struct.unpack(">I", whole[at - 4 : at])[0]
    body = whole[at + 4 : at + 4 + length]
    parts = b"".join(chunk(b"IDAT", body[i : i + 100]) for i in range(0, length, 100))
    yield "many_idat.png", whole[: at - 4] + parts + chunk(b"IEND", b"")
    yield "one_column.png", png(rng.integers(0, 2, (50, 1, 1)), GREY, 1, True)
    colours = chunk(b"PLTE", bytes(range(12)))
    yield "palette_2_wide.png", png(rng.integers(0, 4, (3, 33, 1)), PALETTE, 2, True, extra=colours)


# --- WebP ---------------------------------------------------------------------


def riff(*chunks):
    body = b"WEBP" + b"".join(riff_chunk(kind, data) for kind, data in chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def riff_chunk(kind, data):
    return kind + struct.pack("<I", len(data)) + data + b"\x00" * (len(data) % 2)


def u24(*values):
    return b"".join(struct.pack("<I", value)[:3] for value in values)


def frame(data, x, y, width, height, flags=0):
    """An ANMF chunk around the image chunks of a whole WebP file."""
    return b"ANMF", u24(x // 2, y // 2, width - 1, height - 1, 100) + bytes([flags]) + data[12:]


def webps():
    photo = smooth(31, 61, 47)
    alpha = smooth(32, 61, 47).getchannel(0)
    see_through = photo.copy()
    see_through.putalpha(alpha)
    holes = photo.copy()
    holes.putalpha(alpha.point(lambda v: 0 if v < 128 else 255))
    for quality in (0, 50, 100):
        yield f"lossy_{quality}.webp", saved(photo, "WEBP", quality=quality)
    yield "lossy_alpha.webp", saved(see_through, "WEBP", quality=60)
    yield "lossy_alpha_coarse.webp", saved(see_through, "WEBP", quality=60, alpha_quality=10)
    yield "lossless.webp", saved(photo, "WEBP", lossless=True)
    yield "lossless_alpha.webp", saved(holes, "WEBP", lossless=True)
    yield "lossless_exact.webp", saved(holes, "WEBP", lossless=True, exact=True)
    few = photo.convert("P", palette=Image.Palette.ADAPTIVE, colors=11).convert("RGB")
    yield "lossless_palette.webp", saved(few, "WEBP", lossless=True)
    yield "grey.webp", saved(photo.convert("L"), "WEBP")
    for size in ((1, 1), (2, 1), (1, 3), (17, 16), (300, 2)):
        yield f"size_{size[0]}x{size[1]}.webp", saved(smooth(33, *size), "WEBP")
    frames = [smooth(seed, 40, 30) for seed in (34, 35, 36)]
    yield "animated.webp", saved(frames[0], "WEBP", save_all=True, append_images=frames[1:])
    holey = [holes.crop((i, 0, i + 40, 30)) for i in range(3)]
    yield "animated_alpha.webp", saved(holey[0], "WEBP", save_all=True, append_images=holey[1:], lossless=True)
    animation = b"ANIM", bytes([10, 200, 30, 255]) + b"\x00\x00"
    small = saved(smooth(37, 21, 13), "WEBP", lossless=True)
    extended = b"VP8X", b"\x02\x00\x00\x00" + u24(49, 39)
    yield "first_frame_in_a_corner.webp", riff(extended, animation, frame(small, 8, 6, 21, 13))
    lossy = saved(smooth(38, 21, 13), "WEBP", quality=70)
    yield "first_frame_lossy.webp", riff(extended, animation, frame(lossy, 28, 26, 21, 13), frame(small, 0, 0, 21, 13))
    clear = saved(holes.crop((0, 0, 20, 14)), "WEBP", lossless=True, exact=True)
    extended = b"VP8X", b"\x12\x00\x00\x00" + u24(49, 39)
    yield "first_frame_alpha.webp", riff(extended, animation, frame(clear, 2, 2, 20, 14))
    yield "unknown_chunk.webp", riff((b"VP8X", b"\x00\x00\x00\x00" + u24(60, 46)), (b"ABCD", b"odd"), (b"VP8L", saved(photo, "WEBP", lossless=True)[20:]))
    yield "trailing_garbage.webp", saved(photo, "WEBP") + b"garbage" * 20


# --- BMP (written here: Pillow writes few kinds) --------------------------------


def packed(rows, bits):
    """Rows of numbers as rows of bits, highest first, padded to 4 bytes."""
    out = []
    for row in rows:
        if bits >= 8:
            body = b"".join(int(v).to_bytes(bits // 8, "little") for v in row)
        else:
            text = "".join(format(int(v), f"0{bits}b") for v in row)
            text += "0" * (-len(text) % 8)
            body = int(text, 2).to_bytes(len(text) // 8, "big")
        out.append(body + b"\x00" * (-len(body) % 4))
    return out


def bmp(rows, bits, palette=(), header=40, compression=0, masks=(), top_down=False, data=None, colours=None, offset=None):
    height, width = len(rows), len(rows[0])
    entry = 3 if header == 12 else 4
    table = b"".join(bytes(colour[::-1]) + b"\x00" * (entry - 3) for colour in palette)
    if header == 12:
        info = struct.pack("<IHHHH", 12, width, height, 1, bits)
    else:
        shown = len(palette) if colours is None else colours
        info = struct.pack("<IiiHHIIiiII", header, width, -height if top_down else height, 1, bits, compression, 0, 2835, 2835, shown, 0)
        mask_bytes = b"".join(struct.pack("<I", mask) for mask in masks)
        if header == 40:
            table = mask_bytes + table
        else:
            info += mask_bytes
            info += b"\x00" * (header - len(info))
    if data is None:
        lines = packed(rows, bits)
        data = b"".join(lines if top_down else lines[::-1])
    start = 14 + len(info) + len(table) if offset is None else offset
    return b"BM" + struct.pack("<IHHI", 14 + len(info) + len(table) + len(data), 0, 0, start) + info + table + data


def bmps():
    rng = np.random.default_rng(2)
    black_white = [(0, 0, 0), (255, 255, 255)]
    two = [(200, 10, 30), (5, 90, 250)]
    sixteen = [tuple(int(v) for v in rng.integers(0, 256, 3)) for _ in range(16)]
    many = [tuple(int(v) for v in rng.integers(0, 256, 3)) for _ in range(256)]
    ramp = [(i, i, i) for i in range(256)]
    ones = rng.integers(0, 2, (9, 19)).tolist()
    fours = rng.integers(0, 16, (9, 19)).tolist()
    bytes_ = rng.integers(0, 256, (9, 19)).tolist()
    for header in (12, 40, 52, 56, 64, 108, 124):
        yield f"colour_1_header_{header}.bmp", bmp(ones, 1, two, header)
        yield f"colour_4_header_{header}.bmp", bmp(fours, 4, sixteen, header)
        yield f"colour_8_header_{header}.bmp", bmp(bytes_, 8, many, header)
        yield f"rgb_24_header_{header}.bmp", bmp(rng.integers(0, 1 << 24, (5, 6)).tolist(), 24, (), header)
    yield "grey_1.bmp", bmp(ones, 1, black_white)
    yield "inverse_1.bmp", bmp(ones, 1, black_white[::-1])
    yield "grey_8.bmp", bmp(bytes_, 8, ramp)
    yield "grey_8_default_count.bmp", bmp(bytes_, 8, ramp, colours=0)
    few = rng.integers(0, 20, (9, 19)).tolist()
    yield "colour_8_few.bmp", bmp(few, 8, many[:20])
    yield "colour_8_beyond.bmp", bmp(few, 8, many[:12])
    yield "grey_8_few_beyond.bmp", bmp(bytes_, 8, ramp[:100])
    yield "top_down_8.bmp", bmp(bytes_, 8, many, top_down=True)
    yield "top_down_24.bmp", bmp(rng.integers(0, 1 << 24, (5, 6)).tolist(), 24, top_down=True)
    wide = rng.integers(0, 1 << 16, (7, 11)).tolist()
    yield "rgb_16.bmp", bmp(wide, 16)
    for masks in ((0xF800, 0x7E0, 0x1F), (0x7C00, 0x3E0, 0x1F)):
        yield f"masks_16_{masks[0]:x}.bmp", bmp(wide, 16, compression=3, masks=masks)
        yield f"masks_16_{masks[0]:x}_v5.bmp", bmp(wide, 16, header=124, compression=3, masks=masks)
    full = rng.integers(0, 1 << 32, (6, 7)).tolist()
    yield "rgb_32.bmp", bmp(full, 32)
    for masks in (
        (0xFF0000, 0xFF00, 0xFF, 0),
        (0xFF000000, 0xFF0000, 0xFF00, 0),
        (0xFF000000, 0xFF00, 0xFF, 0),
        (0xFF000000, 0xFF0000, 0xFF00, 0xFF),
        (0xFF, 0xFF00, 0xFF0000, 0xFF000000),
        (0xFF0000, 0xFF00, 0xFF, 0xFF000000),
        (0xFF000000, 0xFF00, 0xFF, 0xFF0000),
        (0, 0, 0, 0),
    ):
        name = "_".join(f"{mask:x}" for mask in masks)
        yield f"masks_32_{name}.bmp", bmp(full, 32, header=108, compression=3, masks=masks)
    yield "masks_32_behind.bmp", bmp(full, 32, compression=3, masks=(0xFF0000, 0xFF00, 0xFF))
    yield "masks_24.bmp", bmp(rng.integers(0, 1 << 24, (5, 6)).tolist(), 24, compression=3, masks=(0xFF0000, 0xFF00, 0xFF))
    whole = bmp(bytes_, 8, many)
    yield "offset_without_palette.bmp", whole[:10] + struct.pack("<I", 54) + whole[14:]
    yield "offset_zero.bmp", whole[:10] + struct.pack("<I", 0) + whole[14:]
    yield "last_row_unpadded.bmp", whole[:-1]
    yield "gap_before_pixels.bmp", bmp(bytes_, 8, many, offset=14 + 40 + 1024 + 6, data=b"gap..." + b"".join(packed(bytes_, 8)[::-1]))
    ones_as_bytes = "two_greys_8_as_24.bmp", bmp([[v * 0xFFFFFF for v in row] for row in ones], 24)
    yield ones_as_bytes
    yield "two_greys_8.bmp", bmp(ones, 8, black_white)
    # Run lengths: encoded runs, literals, ends of lines; then jumps and empty lines.
    shape = [[0] * 10] * 4
    rle8 = bytes([10, 7, 0, 0, 4, 1, 0, 3, 5, 6, 7, 0, 0, 0, 1, 2, 2, 9])
    rle8 += bytes([0, 4, 1, 2, 3, 4, 1, 5, 0, 0, 10, 1, 0, 0, 0, 1])
    yield "rle8.bmp", bmp(shape, 8, many, compression=1, data=rle8)
    jumps = bytes([10, 7, 0, 0, 0, 0, 4, 1, 0, 2, 3, 1, 3, 8, 0, 1])
    yield "rle8_jumps.bmp", bmp(shape, 8, many, compression=1, data=jumps)
    plain = [[0] * 7 + [8] * 3, [1] * 4 + [0] * 6, [0] * 10, [7] * 10]
    yield "rle8_jumps_plain.bmp", bmp(plain, 8, many)
    odd = bytes([0, 5, 0x12, 0x34, 0x50, 0, 5, 6, 0, 0]) + bytes([10, 0x99, 0, 0]) * 3 + b"\x00\x01"
    yield "rle4_odd_literals.bmp", bmp(shape, 4, sixteen, compression=2, data=odd)
    yield "rle4_odd_literals_plain.bmp", bmp([[9] * 10] * 3 + [[1, 2, 3, 4, 5, 0, 6, 0, 6, 0]], 4, sixteen)
    yield "rle8_grey.bmp", bmp(shape, 8, ramp, compression=1, data=rle8)
    full_rows = b"".join(bytes([10, i, 0, 0]) for i in range(4)) + b"\x00\x01"
    yield "rle8_rows.bmp", bmp(shape, 8, many, compression=1, data=full_rows)
    yield "rle8_without_line_ends.bmp", bmp([[0] * 10], 8, many, compression=1, data=bytes([20, 3, 0, 1]))
    rle4 = bytes([10, 0x7A, 0, 0, 5, 0x12, 0, 4, 0x34, 0x56, 1, 0xF0, 0, 0, 10, 0, 0, 0])
    rle4 += bytes([2, 0x9B, 0, 8, 1, 0x23, 0x45, 0x67, 0, 1])
    yield "rle4.bmp", bmp(shape, 4, sixteen, compression=2, data=rle4)


# --- PBM, PGM, PPM ------------------------------------------------------------


def ppms():
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 2, (7, 13))
    text = lambda values: " ".join(str(v) for v in np.ravel(values)).encode()
    yield "P1.pbm", b"P1\n13 7\n" + text(bits) + b"\n"
    yield "P1_dense.pbm", b"P1 13 7 " + b"".join(text(row).replace(b" ", b"") + b"#x\n" for row in bits)
    raw_bits = np.packbits(bits.astype(np.uint8), axis=1).tobytes()
    yield "P4.pbm", b"P4\n#comment 5\n13 7\n" + raw_bits
    for top in (1, 15, 100, 200, 255, 256, 1000, 65535):
        size = np.uint8 if top < 256 else np.dtype(">u2")
        grey = rng.integers(0, top + 1, (6, 7)).astype(size)
        if top > 255:
            grey[0] = np.arange(7) * 5  # small ones, where the scaling shows
        colour = rng.integers(0, top + 1, (4, 5, 3)).astype(size)
        yield f"P2_{top}.pgm", f"P2\n7 6\n{top}\n".encode() + text(grey) + b"\n"
        yield f"P5_{top}.pgm", f"P5\n7 6\n{top}\n".encode() + grey.tobytes()
        yield f"P3_{top}.ppm", f"P3\n5 4\n{top}\n".encode() + text(colour) + b" #end"
        yield f"P6_{top}.ppm", f"P6\n5 4\n{top}\n".encode() + colour.tobytes()
    over = np.arange(64, dtype=np.uint8).reshape(8, 8) * 4
    yield "P5_above_the_largest.pgm", b"P5 8 8 99\n" + over.tobytes()
    yield "P2_comments.pgm", b"P2 #c\r# 9 9\n2#5\n 2\r\n5#\n0\n3 1#\n0 20#here\r 7\n"
    yield "P6_two_images.ppm", (b"P6\n2 1\n255\n" + bytes(range(6))) * 2


# --- GIF (written here: Pillow writes few kinds) --------------------------------


def lzw(indices, bits, clear_when_full=True, clear_every=None):
    """The data blocks of one frame."""
    codes, clear = [], 1 << bits
    table, width = {}, bits + 1

    def emit(code):
        codes.append((code, width))

    emit(clear)
    word, since = (), 0
    fresh = lambda: {(i,): i for i in range(clear)}
    table = fresh()
    count = clear + 2
    for index in indices:
        longer = word + (index,)
        if longer in table:
            word = longer
            continue
        emit(table[word])
        since += 1
        if count < 4096:
            table[longer] = count
            if count == 1 << width and width < 12:
                width += 1
            count += 1
        elif clear_when_full:
            emit(clear)
            table, width, count = fresh(), bits + 1, clear + 2
        if clear_every and since % clear_every == 0 and count < 4096:
            emit(clear)
            table, width, count = fresh(), bits + 1, clear + 2
        word = (index,)
    emit(table[word])
    if count == 1 << width and width < 12:
        width += 1
    emit(clear + 1)
    value, length = 0, 0
    for code, size in codes:
        value |= code << length
        length += size
    data = value.to_bytes((length + 7) // 8, "little")
    blocks = [data[i : i + 255] for i in range(0, len(data), 255)]
    return bytes([bits]) + b"".join(bytes([len(b)]) + b for b in blocks) + b"\x00"


def table_bytes(palette):
    return b"".join(bytes(colour) for colour in palette)


def gif(canvas, parts, palette=None):
    flags = 0 if palette is None else 0x80 | (len(palette).bit_length() - 2)
    out = b"GIF89a" + struct.pack("<HHBBB", *canvas, flags, 1, 0)
    return out + (b"" if palette is None else table_bytes(palette)) + b"".join(parts) + b";"


def gif_frame(rows, left=0, top=0, bits=8, palette=None, interlace=False, **options):
    height, width = rows.shape
    if interlace:
        rows = np.concatenate([rows[0::8], rows[4::8], rows[2::4], rows[1::2]])
    flags = (0x40 if interlace else 0) | (0 if palette is None else 0x80 | (len(palette).bit_length() - 2))
    head = b"," + struct.pack("<HHHHB", left, top, width, height, flags)
    return head + (b"" if palette is None else table_bytes(palette)) + lzw(rows.ravel().tolist(), bits, **options)


def gifs():
    rng = np.random.default_rng(4)
    colours = [tuple(int(v) for v in rng.integers(0, 256, 3)) for _ in range(256)]
    ramp = [(i, i, i) for i in range(256)]
    photo = smooth(41, 61, 47)
    yield "pillow.gif", saved(photo, "GIF")
    yield "pillow_grey.gif", saved(photo.convert("L"), "GIF", interlace=0)
    frames = [smooth(seed, 40, 30) for seed in (42, 43, 44)]
    yield "animated.gif", saved(frames[0], "GIF", save_all=True, append_images=frames[1:], loop=0, duration=50)
    few = rng.integers(0, 4, (13, 11))
    noise = rng.integers(0, 256, (60, 100))
    stripes = np.tile(np.arange(100) % 7, (100, 1))
    for name, options in (("", {}), ("_full_table", {"clear_when_full": False}), ("_cleared", {"clear_every": 50})):
        yield f"noise{name}.gif", gif((100, 60), [gif_frame(noise, **options)], colours)
        yield f"stripes{name}.gif", gif((100, 100), [gif_frame(stripes, bits=3, **options)], colours[:8])
    # Codes that begin with more bits than a colour has, as in issue_2811.gif of
    # Pillow's tests; of values above 255 it takes the lowest eight bits.
    for bits in (9, 10, 11, 12):
        yield f"codes_of_{bits}_bits.gif", gif((100, 60), [gif_frame(noise, bits=bits)], colours)
        beyond = noise + 256 * (np.arange(100) % (1 << (bits - 8)))
        yield f"codes_of_{bits}_bits_full_table.gif", gif(
            (100, 60), [gif_frame(beyond, bits=bits, clear_when_full=False)], colours
        )
    for height in (1, 2, 3, 5, 13):
        yield f"interlaced_{height}.gif", gif((11, height), [gif_frame(few[:height], bits=2, interlace=True)], colours[:4])
    local = gif_frame(few, bits=2, palette=colours[8:12])
    yield "local_palette.gif", gif((11, 13), [local], colours[:4])
    yield "local_palette_only.gif", gif((11, 13), [local])
    yield "local_ramp.gif", gif((11, 13), [gif_frame(few, bits=2, palette=ramp[:4])], colours[:4])
    yield "local_ramp_alone.gif", gif((11, 13), [gif_frame(few, bits=2, palette=ramp[:4])])
    yield "no_palette.gif", gif((11, 13), [gif_frame(few, bits=2)])
    yield "global_ramp_beyond.gif", gif((11, 13), [gif_frame(few * 60, bits=8)], ramp[:16])
    yield "index_beyond_palette.gif", gif((11, 13), [gif_frame(few * 60, bits=8)], colours[:4])
    control = b"!\xf9\x04\x01\x00\x00\x03\x00"
    yield "transparent.gif", gif((11, 13), [control, gif_frame(few, bits=2)], colours[:4])
    yield "frame_in_a_corner.gif", gif((20, 30), [gif_frame(few, 5, 9, bits=2)], colours[:4])
    yield "frame_in_a_corner_transparent.gif", gif((20, 30), [control, gif_frame(few, 5, 9, bits=2)], colours[:4])
    yield "frame_in_a_corner_grey.gif", gif((20, 30), [control, gif_frame(few, 5, 9, bits=2)])
    yield "frame_beyond_canvas.gif", gif((8, 8), [gif_frame(few, 5, 9, bits=2)], colours[:4])
    extensions = [b"!\xfe\x05hello\x03you\x00", b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00", b"!\x01\x02ab\x00"]
    yield "extensions.gif", gif((11, 13), [*extensions, gif_frame(few, bits=2)], colours[:4])
    yield "bytes_between_blocks.gif", gif((11, 13), [b"\x00\x00", gif_frame(few, bits=2)], colours[:4])
    yield "gif87.gif", gif((11, 13), [gif_frame(few, bits=2)], colours[:4]).replace(b"GIF89a", b"GIF87a")


# --- Exif ---------------------------------------------------------------------


def tiff(orientation, order="<", kind=3, count=1, before=(), offset=8):
    """A TIFF structure with one directory: entries `before`, then the tag."""
    value = struct.pack(order + ("HH" if kind == 3 else "I"), *([orientation, 0] if kind == 3 else [orientation]))
    entries = [*before, struct.pack(order + "HHI", 0x0112, kind, count) + value]
    head = (b"II*\x00" if order == "<" else b"MM\x00*") + struct.pack(order + "I", offset)
    return head + struct.pack(order + "H", len(entries)) + b"".join(entries) + struct.pack(order + "I", 0)


def with_exif(data, exif):
    return with_marker(data, 0xE1, b"Exif\x00\x00" + exif)


def exifs():
    plain = jpeg(smooth(51, 21, 13))
    grid = smooth(52, 9, 14)
    for orientation in range(10):
        yield f"exif_{orientation}.jpg", with_exif(plain, tiff(orientation, "<>"[orientation % 2]))
        yield f"exif_{orientation}.png", saved(grid, "PNG", exif=b"Exif\x00\x00" + tiff(orientation))
        yield f"exif_{orientation}.webp", saved(grid, "WEBP", lossless=True, exif=b"Exif\x00\x00" + tiff(orientation, ">"))
    xmp = b'<x:xmpmeta><rdf:Description tiff:Orientation="%d"/><tiff:Orientation>7</tiff:Orientation></x:xmpmeta>'
    packet = with_marker(plain, 0xE1, b"http://ns.adobe.com/xap/1.0/\x00" + xmp % 5)
    yield "xmp.jpg", packet
    yield "xmp_element.jpg", with_marker(plain, 0xE1, b"http://ns.adobe.com/xap/1.0/\x00" + b"<tiff:Orientation>8</tiff:Orientation>")
    yield "xmp_and_exif.jpg", with_exif(packet, tiff(3))
    yield "xmp_and_exif_1.jpg", with_exif(packet, tiff(1))
    itxt = chunk(b"iTXt", b"XML:com.adobe.xmp\x00\x00\x00en\x00x\x00" + xmp % 6)
    samples = np.asarray(grid)
    yield "xmp.png", png(samples, RGB, 8, extra=itxt)
    yield "xmp.webp", saved(grid, "WEBP", lossless=True, xmp=xmp % 8)
    whole = png(samples, RGB, 8)
    end = whole.rindex(b"IEND") - 4
    yield "exif_behind_pixels.png", whole[:end] + chunk(b"eXIf", tiff(6)) + whole[end:]
    yield "exif_in_two_segments.jpg", with_exif(with_exif(plain, tiff(6)[20:]), tiff(6)[:20])
    yield "exif_long.jpg", with_exif(plain, tiff(6, kind=4))
    yield "exif_two_values.jpg", with_exif(plain, tiff(6, count=2))
    yield "exif_no_values.jpg", with_exif(plain, tiff(6, count=0))
    yield "exif_many_values.jpg", with_exif(plain, tiff(6, count=0xFFFFFFFF))
    yield "exif_unknown_type.jpg", with_exif(plain, tiff(6).replace(struct.pack("<HHI", 0x0112, 3, 1), struct.pack("<HHI", 0x0112, 99, 1)))
    text = struct.pack("<HHII", 0x010F, 2, 4000, 30)
    yield "exif_value_outside_before.jpg", with_exif(plain, tiff(6, before=[text]))
    inside = struct.pack("<HHII", 0x010F, 2, 12, 0)
    yield "exif_value_inside_before.jpg", with_exif(plain, tiff(6, before=[inside]))
    yield "exif_cut.jpg", with_exif(plain, tiff(6)[:-8])
    yield "exif_cut_link.jpg", with_exif(plain, tiff(6)[:-3])
    yield "exif_outside.jpg", with_exif(plain, tiff(6, offset=9999))
    yield "exif_at_the_end.jpg", with_exif(plain, tiff(6, offset=len(tiff(6)) - 1))
    yield "exif_no_order.jpg", with_exif(plain, b"XX" + tiff(6)[2:])
    yield "exif_empty.jpg", with_exif(plain, b"")
    yield "exif_twice_prefixed.jpg", with_exif(plain, b"Exif\x00\x00" + tiff(6))
    cyclic = tiff(6)[:-4] + struct.pack("<I", 8)
    yield "exif_cyclic.jpg", with_exif(plain, cyclic)
    pointer = struct.pack("<HHII", 0x8769, 4, 1, 8)
    yield "exif_cyclic_pointer.jpg", with_exif(plain, tiff(6, before=[pointer]))
    again = struct.pack("<HHIHH", 0x0112, 3, 1, 3, 0)
    yield "exif_two_tags.jpg", with_exif(plain, tiff(6, before=[again]))


SAME_AS = {
    # One bit per pixel is read where there are eight.
    "two_greys_8.bmp": "two_greys_8_as_24.bmp",
    # The two bytes of a jump are skipped, and empty lines are lost.
    "rle8_jumps.bmp": "rle8_jumps_plain.bmp",
    # Half bytes of a literal run are dropped when its length is odd.
    "rle4_odd_literals.bmp": "rle4_odd_literals_plain.bmp",
    # The global table is used where the frame has one of its own, a grey ramp.
    "local_ramp.gif": "local_ramp_alone.gif",
}


def expected(data):
    image = Image.open(io.BytesIO(data))
    plain = image.convert("RGB")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            turned = ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB")
    except Exception:
        turned = plain
    return [plain.width, plain.height, crc(plain), turned.width, turned.height, crc(turned)]


def make():
    FILES.mkdir(exist_ok=True)
    for old in FILES.iterdir():
        old.unlink()
    rows = []
    for group in (jpegs, pngs, webps, bmps, ppms, gifs, exifs):
        for name, data in group():
            if (FILES / name).exists():
                raise AssertionError(f"{name} twice")
            (FILES / name).write_bytes(data)
    for file in sorted(FILES.iterdir()):
        source = FILES / SAME_AS.get(file.name, file.name)
        try:
            rows.append([file.name, *expected(source.read_bytes())])
        except Exception as error:
            raise AssertionError(file.name) from error
    header = "file width height crc32 turned_width turned_height turned_crc32"
    write_rows("formats.csv", header.split(), rows)


if __name__ == "__main__":
    assert PIL.__version__ == "12.0.0", PIL.__version__
    make()
