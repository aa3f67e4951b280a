"""Writes TIFF, AVIF and JFIF files into formats/, and tiff_avif.csv: what Pillow
makes of them, in the columns of formats.csv (see make_formats.py).

Needs Pillow 12.0.0 (libtiff 4.7.1, libavif 1.3.0), numpy, and avifenc of libavif
(Debian's libavif-bin 0.11.1) for AVIFs that Pillow cannot write. Run in this
folder:

    python make_tiff_avif.py

Where Pillow misreads a file, the expected pixels are those of another file that
it reads right: SAME_AS says which and why.
"""

import io
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

import numpy as np
import PIL
from make_fixtures import crc, jpeg, pattern, smooth, write_rows
from PIL import Image, ImageOps

FILES = Path("formats")

# Pillow reads samples of 16 bits in planes as if they had 8 when they are not
# compressed, turns big-endian numbers once more that libtiff has turned, and
# does not read big-endian BigTIFF, nor uncompressed white-is-zero bytes whose
# bits are filled from the other end.
SAME_AS = {
    "grey_8_0_filled.tif": "grey_8_0.tif",
    "bigtiff_big.tif": "rgb_big.tif",
    "planes_rgb16.tif": "planes_rgb16_deflate.tif",
    "grey_float_big_deflate.tif": "grey_float_big.tif",
    "grey_int32_big_deflate.tif": "grey_int32_big.tif",
}


def saved(image, kind, **options):
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


# --- TIFF (written here: Pillow writes few kinds) -------------------------------

TYPES = {"H": 3, "I": 4, "B": 1, "Q": 16}


def packed(block, bits, order, fill_order):
    """Rows of samples as bytes, each row from a byte's first bit on."""
    if bits >= 8:
        kind = {8: "u1", 16: "u2", 32: "u4"}[bits] if block.dtype.kind != "f" else "f4"
        return np.ascontiguousarray(block, dtype=order + kind).tobytes()
    flat = block.reshape(block.shape[0], -1)
    ones = (flat[:, :, None] >> np.arange(bits - 1, -1, -1)) & 1
    return np.packbits(ones.reshape(flat.shape[0], -1), axis=1).tobytes()


def reversed_bits(data):
    return bytes(int(f"{b:08b}"[::-1], 2) for b in data)


def tiff(samples, bits, photometric, order="<", rows=None, tile=None, planes=False, deflate=False,
         extra=(), colours=None, kind=None, orientation=None, big=False, fill_order=1, xmp=None):
    height, width, channels = samples.shape
    parts = [samples[:, :, i : i + 1] for i in range(channels)] if planes else [samples]
    blocks = []
    for part in parts:
        if tile:
            for y in range(0, height, tile):
                for x in range(0, width, tile):
                    block = part[y : y + tile, x : x + tile]
                    pad = [(0, tile - block.shape[0]), (0, tile - block.shape[1]), (0, 0)]
                    blocks.append(np.pad(block, pad))
        else:
            step = rows or height
            blocks += [part[y : y + step] for y in range(0, height, step)]
    data = [packed(block, bits, order, fill_order) for block in blocks]
    if deflate:
        data = [zlib.compress(d) for d in data]
    if fill_order == 2:
        data = [reversed_bits(d) for d in data]
    word = "Q" if big else "I"
    tags = {256: ("I", [width]), 257: ("I", [height]), 258: ("H", [bits] * channels),
            259: ("H", [8 if deflate else 1]), 262: ("H", [photometric]), 277: ("H", [channels]),
            284: ("H", [2 if planes else 1])}
    if tile:
        tags |= {322: ("I", [tile]), 323: ("I", [tile])}
    else:
        tags[278] = "I", [rows or height]
    if fill_order == 2:
        tags[266] = "H", [2]
    if orientation:
        tags[274] = "H", [orientation]
    if colours is not None:
        tags[320] = "H", list(colours)
    if extra:
        tags[338] = "H", list(extra)
    if kind:
        tags[339] = "H", [kind] * channels
    if xmp:
        tags[700] = "B", list(xmp)
    places, counts = (324, 325) if tile else (273, 279)
    tags[counts] = word, [len(d) for d in data]
    tags[places] = word, [0] * len(data)
    entry, head, inline = (20, 16, 8) if big else (12, 8, 4)
    at = head + (8 if big else 2) + entry * len(tags) + inline
    for tag, (letter, values) in tags.items():
        size = struct.calcsize(letter) * len(values)
        at += size + size % 2 if size > inline else 0
    offsets = []
    for d in data:
        offsets.append(at)
        at += len(d)
    tags[places] = word, offsets
    return head_and_directory(tags, order, big) + b"".join(data)


def head_and_directory(tags, order, big):
    word, count, head, inline, entry = ("Q", "Q", 16, 8, 20) if big else ("I", "H", 8, 4, 12)
    mark = b"II" if order == "<" else b"MM"
    out = mark + (struct.pack(order + "HHHQ", 43, 8, 0, 16) if big else struct.pack(order + "HI", 42, 8))
    directory = struct.pack(order + count, len(tags))
    values_at = head + len(directory) + entry * len(tags) + inline
    behind = b""
    for tag, (letter, values) in sorted(tags.items()):
        body = struct.pack(order + letter * len(values), *values)
        directory += struct.pack(order + "HH" + word, tag, TYPES[letter], len(values))
        if len(body) > inline:
            directory += struct.pack(order + word, values_at + len(behind))
            behind += body + b"\0" * (len(body) % 2)
        else:
            directory += body.ljust(inline, b"\0")
    return out + directory + bytes(inline) + behind


def written_tiffs():
    rng = np.random.default_rng(4)
    few = rng.integers(0, 256, (29, 37, 6))
    for order, name in (("<", "little"), (">", "big")):
        yield f"rgb_{name}.tif", tiff(few[:, :, :3], 8, 2, order)
        yield f"rgb_tiles_{name}.tif", tiff(few[:, :, :3], 8, 2, order, tile=16)
        yield f"rgb16_{name}.tif", tiff(rng.integers(0, 65536, (9, 11, 3)), 16, 2, order)
        yield f"rgb16_deflate_{name}.tif", tiff(rng.integers(0, 65536, (9, 11, 3)), 16, 2, order, deflate=True)
        yield f"grey16_{name}.tif", tiff(rng.integers(0, 600, (9, 11, 1)), 16, 1, order)
        yield f"grey16_tiles_deflate_{name}.tif", tiff(rng.integers(0, 600, (19, 21, 1)), 16, 1, order, tile=16, deflate=True)
        yield f"bigtiff_{name}.tif", tiff(few[:, :, :3], 8, 2, order, rows=7, big=True)
    for bits in (1, 2, 4, 8):
        grey = rng.integers(0, 1 << bits, (13, 21, 1))
        colours = rng.integers(0, 65536, 3 << bits)
        for photometric in (0, 1):
            yield f"grey_{bits}_{photometric}.tif", tiff(grey, bits, photometric, rows=5)
            yield f"grey_{bits}_{photometric}_tiles.tif", tiff(grey, bits, photometric, tile=16, deflate=True)
            yield f"grey_{bits}_{photometric}_filled.tif", tiff(grey, bits, photometric, fill_order=2)
        yield f"palette_{bits}.tif", tiff(grey, bits, 3, colours=colours)
        yield f"palette_{bits}_deflate.tif", tiff(grey, bits, 3, colours=colours, deflate=True, rows=4)
    yield "grey16_white.tif", tiff(rng.integers(0, 600, (9, 11, 1)), 16, 0)
    yield "grey_int16.tif", tiff(rng.integers(0, 65536, (9, 11, 1)), 16, 1, kind=2)
    yield "grey_uint32.tif", tiff(rng.integers(0, 500, (9, 11, 1)), 32, 1)
    signed = rng.integers(-300, 600, (9, 11, 1)).astype("i4").view("u4")
    real = (rng.random((9, 11, 1)) * 400 - 70).astype("f4")
    for order, name in (("<", ""), (">", "_big")):
        for deflate, coder in ((False, ""), (True, "_deflate")):
            yield f"grey_int32{name}{coder}.tif", tiff(signed, 32, 1, order, kind=2, deflate=deflate)
            yield f"grey_float{name}{coder}.tif", tiff(real, 32, 1, order, kind=3, deflate=deflate)
    yield "grey_alpha.tif", tiff(few[:, :, :2], 8, 1, extra=[2])
    yield "grey_alpha_planes.tif", tiff(few[:, :, :2], 8, 1, extra=[2], planes=True, deflate=True)
    yield "palette_alpha.tif", tiff(few[:, :, :2], 8, 3, extra=[2], colours=rng.integers(0, 65536, 768))
    for extra in (0, 1, 2):
        yield f"rgba_{extra}.tif", tiff(few[:, :, :4], 8, 2, extra=[extra])
        yield f"rgba_{extra}_deflate.tif", tiff(few[:, :, :4], 8, 2, extra=[extra], deflate=True, tile=16)
        yield f"rgba16_{extra}.tif", tiff(rng.integers(0, 65536, (9, 11, 4)), 16, 2, extra=[extra])
        yield f"rgb_five_{extra}.tif", tiff(few[:, :, :5], 8, 2, extra=[extra, 0])
    yield "rgb_six.tif", tiff(few, 8, 2, extra=[0, 0, 0])
    yield "rgba_unnamed.tif", tiff(few[:, :, :4], 8, 2)
    yield "cmyk_written.tif", tiff(few[:, :, :4], 8, 5)
    yield "cmyk16.tif", tiff(rng.integers(0, 65536, (9, 11, 4)), 16, 5)
    yield "cmyk_five.tif", tiff(few[:, :, :5], 8, 5, extra=[0])
    yield "planes_rgb.tif", tiff(few[:, :, :3], 8, 2, planes=True, rows=10)
    yield "planes_rgb_tiles.tif", tiff(few[:, :, :3], 8, 2, planes=True, tile=16, deflate=True)
    wide = rng.integers(0, 65536, (9, 11, 3))
    yield "planes_rgb16.tif", tiff(wide, 16, 2, planes=True)
    yield "planes_rgb16_deflate.tif", tiff(wide, 16, 2, planes=True, deflate=True)
    yield "planes_rgba_1.tif", tiff(few[:, :, :4], 8, 2, planes=True, extra=[1], deflate=True)
    yield "planes_cmyk.tif", tiff(few[:, :, :4], 8, 5, planes=True, deflate=True)
    small = rng.integers(0, 256, (5, 7, 3))
    for orientation in range(9):
        yield f"turned_{orientation}.tif", tiff(small, 8, 2, orientation=orientation, deflate=orientation % 2 == 1)
    packet = b'<x:xmpmeta><rdf:Description tiff:Orientation="6"/></x:xmpmeta>'
    yield "turned_by_xmp.tif", tiff(small, 8, 2, xmp=packet)
    yield "one_row_strips.tif", tiff(few[:, :, :3], 8, 2, rows=1, deflate=True)
    yield "one_pixel.tif", tiff(few[:1, :1, :3], 8, 2)
    # Four pixels of brightness for one of each colour.
    grey = smooth(61, 32, 24).convert("YCbCr")
    units = [np.asarray(grey)[y : y + 2, x : x + 2] for y in range(0, 24, 2) for x in range(0, 32, 2)]
    data = b"".join(u[:, :, 0].tobytes() + bytes([u[0, 0, 1], u[0, 0, 2]]) for u in units)
    for compression in (1, 8):
        body = data if compression == 1 else zlib.compress(data)
        tags = {256: ("I", [32]), 257: ("I", [24]), 258: ("H", [8, 8, 8]), 259: ("H", [compression]),
                262: ("H", [6]), 277: ("H", [3]), 278: ("I", [24]), 279: ("I", [len(body)]), 530: ("H", [2, 2]),
                273: ("I", [0])}
        size = len(head_and_directory(tags, "<", False))
        tags[273] = "I", [size]
        if compression == 8:  # uncompressed, Pillow takes them for whole pixels
            yield "ycbcr_subsampled.tif", head_and_directory(tags, "<", False) + body


def saved_tiffs():
    photo = smooth(51, 61, 47)
    few = photo.convert("P", palette=Image.Palette.ADAPTIVE, colors=19)
    bits = photo.convert("1")
    alpha = photo.copy()
    alpha.putalpha(smooth(52, 61, 47).getchannel(0))
    cmyk = Image.merge("CMYK", [smooth(seed, 37, 29).getchannel(0) for seed in (53, 54, 55, 56)])
    modes = {"bits": bits, "grey": photo.convert("L"), "grey_alpha": alpha.convert("LA"), "palette": few,
             "rgb": photo, "rgba": alpha, "cmyk": cmyk}
    for coder in ("tiff_lzw", "tiff_adobe_deflate", "tiff_deflate", "packbits", "lzma", "zstd"):
        for name, image in modes.items():
            if coder in ("tiff_lzw", "packbits") or name in ("rgb", "bits"):
                yield f"{coder}_{name}.tif", saved(image, "TIFF", compression=coder)
    for coder in ("group3", "group4", "tiff_ccitt"):
        yield f"{coder}.tif", saved(bits, "TIFF", compression=coder)
    for name in ("grey", "rgb", "cmyk"):
        yield f"jpeg_{name}.tif", saved(modes[name], "TIFF", compression="jpeg", quality=80)
    yield "jpeg_ycbcr.tif", saved(photo.convert("YCbCr"), "TIFF", compression="jpeg", quality=80)
    for predictor in (1, 2):
        yield f"lzw_predictor_{predictor}.tif", saved(photo, "TIFF", compression="tiff_lzw", tiffinfo={317: predictor})
    yield "strips.tif", saved(photo, "TIFF", compression="tiff_lzw", strip_size=1024)
    yield "two_pages.tif", saved(photo, "TIFF", save_all=True, append_images=[smooth(57, 20, 10)])


# --- AVIF ---------------------------------------------------------------------


def avifenc(image, *options):
    """Lossless input for avifenc; what it writes with these options."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "in.png"), Path(folder, "out.avif")
        image.save(source)
        subprocess.run(["avifenc", "-s", "9", "-j", "1", *options, source, out], check=True, capture_output=True)
        return out.read_bytes()


def avifs():
    photo = smooth(71, 61, 47)
    grey = photo.convert("L")
    alpha = photo.copy()
    alpha.putalpha(smooth(72, 61, 47).getchannel(0))
    for sub in ("4:2:0", "4:2:2", "4:4:4", "4:0:0"):
        for span in ("full", "limited"):
            name = f"yuv{sub.replace(':', '')}_{span}"
            yield f"{name}.avif", saved(grey if sub == "4:0:0" else photo, "AVIF", subsampling=sub, range=span, speed=9)
            yield f"{name}_alpha.avif", saved(alpha, "AVIF", subsampling=sub, range=span, speed=9)
    for depth in ("10", "12"):
        for sub in ("420", "422", "444", "400"):
            yield f"depth_{depth}_{sub}.avif", avifenc(photo, "-d", depth, "-y", sub)
        yield f"depth_{depth}_alpha.avif", avifenc(alpha, "-d", depth, "-y", "420")
        yield f"depth_{depth}_limited.avif", avifenc(photo, "-d", depth, "-y", "420", "-r", "limited")
    for matrix in ("0", "4", "9"):
        yield f"depth_10_matrix_{matrix}.avif", avifenc(photo, "-d", "10", "--cicp", f"1/13/{matrix}", "-y", "444")
    yield "lossless.avif", avifenc(photo, "--lossless")
    yield "premultiplied.avif", avifenc(alpha, "--premultiply")
    for matrix in ("1", "5", "6", "9"):
        yield f"matrix_{matrix}.avif", avifenc(photo, "--cicp", f"1/13/{matrix}", "-y", "420")
        yield f"matrix_{matrix}_444.avif", avifenc(photo, "--cicp", f"1/13/{matrix}", "-y", "444", "-r", "limited")
    yield "grid.avif", avifenc(smooth(73, 128, 128), "--grid", "2x2", "-y", "420")
    for size in ((1, 1), (2, 3), (1, 7), (9, 1)):
        yield f"size_{size[0]}x{size[1]}.avif", saved(smooth(74, *size), "AVIF", speed=9)
    yield "noise.avif", saved(Image.fromarray(pattern(75, 40, 30)), "AVIF", quality=90, speed=9)
    frames = [smooth(seed, 40, 30) for seed in (76, 77)]
    yield "sequence.avif", saved(frames[0], "AVIF", save_all=True, append_images=frames[1:], speed=9)
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[0x0112] = orientation
        yield f"turned_{orientation}.avif", saved(smooth(78, 21, 14), "AVIF", exif=exif, speed=9)


def main():
    FILES.mkdir(exist_ok=True)
    files = dict([*written_tiffs(), *saved_tiffs(), *avifs()])
    files["jpeg.jfif"] = jpeg(smooth(79, 33, 21))
    expected = {}
    for name, data in files.items():
        (FILES / name).write_bytes(data)
        if name in SAME_AS:
            continue
        with Image.open(FILES / name) as image:
            turned = ImageOps.exif_transpose(image).convert("RGB")
        with Image.open(FILES / name) as image:
            rgb = image.convert("RGB")
        expected[name] = [*rgb.size, crc(rgb), *turned.size, crc(turned)]
    rows = [[name, *expected[SAME_AS.get(name, name)]] for name in sorted(files)]
    header = "file width height crc32 turned_width turned_height turned_crc32"
    write_rows("tiff_avif.csv", header.split(), rows)


if __name__ == "__main__":
    assert PIL.__version__ == "12.0.0", PIL.__version__
    main()
