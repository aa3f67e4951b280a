"""Turns the binary version of CIFAR-10 into folders of PNG files.

    python3 cifar10_to_folders.py cifar-10-batches-bin cifar10

Needs nothing but Python's standard library.
"""

import struct
import sys
import zlib
from pathlib import Path

SIDE = 32
PLANE = SIDE * SIDE
RECORD = 1 + 3 * PLANE


def chunk(kind, body):
    checksum = zlib.crc32(kind + body)
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", checksum)


def png(planes):
    """A PNG file of 32 x 32 red, then green, then blue bytes."""
    pixels = bytearray(3 * PLANE)
    for channel in range(3):
        pixels[channel::3] = planes[channel * PLANE : (channel + 1) * PLANE]
    width = 3 * SIDE
    rows = b"".join(b"\0" + pixels[y * width : (y + 1) * width] for y in range(SIDE))
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def convert(files, classes, target):
    number = 0
    for name in classes:
        (target / name).mkdir(parents=True)
    for file in files:
        data = file.read_bytes()
        if not data or len(data) % RECORD:
            sys.exit(f"{file}: not a whole number of records of {RECORD} bytes")
        for start in range(0, len(data), RECORD):
            label = data[start]
            planes = data[start + 1 : start + RECORD]
            (target / classes[label] / f"{number:05d}.png").write_bytes(png(planes))
            number += 1
    print(f"{target}: {number} images")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, target = Path(sys.argv[1]), Path(sys.argv[2])
    classes = (source / "batches.meta.txt").read_text().split()
    convert(sorted(source.glob("data_batch_*.bin")), classes, target / "train")
    convert([source / "test_batch.bin"], classes, target / "test")


if __name__ == "__main__":
    main()
