"""Writes erase_areas.csv: how many pixels timm's RandomErasing erases.

Needs timm 1.0.31 and torch. Run in this folder:

    python make_erase.py

A row holds the size of the images, and how many pixels were erased in each of
1,500 of them; 0 where no box fitted.
"""

import csv
import random

import timm
import torch
from timm.data import random_erasing

IMAGES = 1500


def areas(height, width):
    """The sizes that timm asks for noise of."""
    sizes = []
    original = random_erasing._get_pixels

    def pixels(per_pixel, rand_color, shape, **options):
        sizes.append(shape[1] * shape[2])
        return original(per_pixel, rand_color, shape, **options)

    random_erasing._get_pixels = pixels
    erase = random_erasing.RandomErasing(1.0, device="cpu")
    erased = []
    for _ in range(IMAGES):
        sizes.clear()
        erase(torch.ones(1, height, width))
        erased.append(sizes[0] if sizes else 0)
    random_erasing._get_pixels = original
    return erased


if __name__ == "__main__":
    assert timm.__version__ == "1.0.31", timm.__version__
    random.seed(9)
    with open("erase_areas.csv", "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["height", "width", "areas"])
        for case in [(224, 224), (32, 32), (33, 57)]:
            writer.writerow([*case, " ".join(map(str, sorted(areas(*case))))])
