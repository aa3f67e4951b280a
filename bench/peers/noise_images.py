#!/usr/bin/env python3
"""Writes a folder of JPEG files of noise, shaped like CIFAR-10's.

usage: noise_images.py FOLDER    makes FOLDER/train (10,000) and FOLDER/test

Stands in for CIFAR-10 where only speed is measured. Needs Pillow and numpy;
peer.sh has 13.0.0.
"""

import pathlib
import sys

import numpy
from PIL import Image


def write(folder, per_class, random):
    for label in range(10):
        target = folder / f"class{label}"
        target.mkdir(parents=True, exist_ok=True)
        for index in range(per_class):
            # Smooth noise: about as many bytes per file as photographs take.
            coarse = random.integers(0, 256, (8, 8, 3), dtype=numpy.uint8)
            image = Image.fromarray(coarse).resize((32, 32), Image.BICUBIC)
            image.save(target / f"{index:04d}.jpg", quality=90)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    random = numpy.random.default_rng(0)
    write(folder / "train", 1000, random)
    write(folder / "test", 100, random)


if __name__ == "__main__":
    main()
