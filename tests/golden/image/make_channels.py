#!/usr/bin/env python3
"""Writes channels/ and channels.csv: images with other numbers of channels than 1 and
3, written by tifffile 2026.3.3 and Pillow 13.0.0, with the CRC-32 of their pixels
[height, width, channels] (of a turned one: as it is shown) and that of torchvision
0.26.0's Resize(18) and CenterCrop(16), each channel by itself as a grey image.
Names that end in _bad are files that cannot be read as so many channels.
"""

import pathlib
import zlib

import numpy
import tifffile
from PIL import Image
from torchvision.transforms import CenterCrop, InterpolationMode, Resize

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE / "channels"


def pixels(height, width, channels, seed):
    """Waves of another frequency in each channel, with some noise."""
    y, x, c = numpy.mgrid[:height, :width, :channels]
    waves = 127 + 100 * numpy.sin(x * (0.2 + 0.05 * c) + seed) * numpy.cos(0.3 * y + c)
    noise = numpy.random.default_rng(seed).integers(-20, 21, waves.shape)
    return (waves + noise).clip(0, 255).astype("uint8")


def cropped(image):
    """What evaluation makes of it: [16, 16, channels]."""
    steps = [Resize(18, InterpolationMode.BICUBIC), CenterCrop(16)]
    channels = []
    for c in range(image.shape[2]):
        one = Image.fromarray(numpy.ascontiguousarray(image[:, :, c]))
        for step in steps:
            one = step(one)
        channels.append(numpy.asarray(one))
    return numpy.stack(channels, 2)


def tiff(name, image, **options):
    if options.get("planarconfig") == "separate":
        image = image.transpose(2, 0, 1)
    tifffile.imwrite(OUT / f"{name}.tif", numpy.ascontiguousarray(image),
                     **({"photometric": "minisblack", "metadata": None} | options))


def main():
    OUT.mkdir(exist_ok=True)
    for old in OUT.iterdir():
        old.unlink()
    rows = []

    def add(name, image, shown=None):
        shown = image if shown is None else shown
        rows.append((name, shown.shape[2], shown.shape[1], shown.shape[0],
                     zlib.crc32(shown.tobytes()), zlib.crc32(cropped(shown).tobytes())))

    def add_tiff(name, image, shown=None, **options):
        tiff(name, image, **({"planarconfig": "contig"} | options))
        add(f"{name}.tif", image, shown)

    add_tiff("five", pixels(23, 37, 5, 1))
    add_tiff("five_strips", pixels(29, 18, 5, 2), rowsperstrip=7, compression="zlib")
    add_tiff("two", pixels(21, 22, 2, 3), extrasamples=("unspecified",))
    add_tiff("rgba", pixels(20, 31, 4, 4), photometric="rgb", extrasamples=("unassalpha",))
    add_tiff("planes13", pixels(19, 33, 13, 5), planarconfig="separate")
    add_tiff("tiles7", pixels(35, 41, 7, 6), tile=(16, 32), compression="zlib")
    add_tiff("planar_tiles6", pixels(20, 40, 6, 7), planarconfig="separate", tile=(16, 16))
    turned = pixels(23, 37, 5, 8)
    add_tiff("five_turned", turned, numpy.rot90(turned, -1), extratags=[(274, 3, 1, 6, True)])
    for name, channels in (("grey_alpha", 2), ("rgba", 4)):
        image = pixels(27, 19, channels, 10 + channels)
        Image.fromarray(image).save(OUT / f"{name}.png")
        add(f"{name}.png", image)
    tiff("sixteen_bits_bad", pixels(9, 8, 5, 20).astype("uint16"), planarconfig="contig")
    tiff("floats_bad", pixels(9, 8, 5, 21).astype("float32"), planarconfig="contig")
    tiff("four_bad", pixels(9, 8, 4, 22), planarconfig="contig")
    Image.fromarray(pixels(9, 8, 3, 23)).save(OUT / "colours_bad.png")
    Image.fromarray(pixels(9, 8, 3, 24)).save(OUT / "colours_bad.jpg")
    with open(HERE / "channels.csv", "w") as file:
        print("name,channels,width,height,crc,cropped", file=file)
        for row in rows:
            print(*row, sep=",", file=file)


main()
