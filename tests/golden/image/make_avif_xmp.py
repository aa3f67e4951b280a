"""Writes AVIF files with XMP into formats/, and avif_xmp.csv: what Pillow makes
of them, as they are and turned by ImageOps.exif_transpose.

Needs Pillow 13.0.0 and numpy. Run in this folder.
"""

import io
from pathlib import Path

from make_fixtures import crc, smooth, write_rows
from PIL import Image, ImageOps

ATTRIBUTE = b'<x:xmpmeta><rdf:Description tiff:Orientation="%d"/></x:xmpmeta>'
ELEMENT = b"<x:xmpmeta><tiff:Orientation>%d</tiff:Orientation></x:xmpmeta>"
RESOLUTION_UNIT, ORIENTATION = 0x0128, 0x0112


def avif(xmp=None, exif=None):
    out = io.BytesIO()
    smooth(79, 21, 14).save(out, "AVIF", speed=9, **({"xmp": xmp} if xmp else {}), **({"exif": exif} if exif else {}))
    return out.getvalue()


def exif_of(tag, value):
    exif = Image.Exif()
    exif[tag] = value
    return exif


def files():
    for orientation in range(10):
        yield f"turned_by_xmp_{orientation}.avif", avif(ATTRIBUTE % orientation)
    yield "turned_by_xmp_element.avif", avif(ELEMENT % 8)
    # Rotation and mirroring of the file itself go first.
    yield "turned_against_xmp.avif", avif(ATTRIBUTE % 3, exif_of(ORIENTATION, 6))
    other = avif(ATTRIBUTE % 6, exif_of(RESOLUTION_UNIT, 1))
    yield "turned_by_xmp_with_exif.avif", other
    # Pillow writes no orientation into Exif: another tag is renamed. As 1 it
    # says what XMP then does not.
    for order in ("big", "little"):
        here = RESOLUTION_UNIT.to_bytes(2, order) + (3).to_bytes(2, order)
        if here in other:
            there = ORIENTATION.to_bytes(2, order) + (3).to_bytes(2, order)
            assert other.count(here) == 1
            yield "upright_by_exif.avif", other.replace(here, there)


def rows():
    for name, data in files():
        (Path("formats") / name).write_bytes(data)
        image = Image.open(io.BytesIO(data))
        turned = ImageOps.exif_transpose(image).convert("RGB")
        plain = image.convert("RGB")
        yield [name, *plain.size, crc(plain), *turned.size, crc(turned)]


if __name__ == "__main__":
    header = "file width height crc32 turned_width turned_height turned_crc32"
    found = list(rows())
    assert len(found) == 14
    write_rows("avif_xmp.csv", header.split(), found)
