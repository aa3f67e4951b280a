"""Writes policy_pixels.csv and blended.csv from the originals.

Needs Pillow 12.0.0, numpy 2.4, torch 2.11, torchvision 0.26 and timm 1.0.31. Run
in this folder as make_augment.py:

    ATEN_CPU_CAPABILITY=default python make_policy_pixels.py

    policy_pixels.csv  timm's and torchvision's operations at three sizes of
                       images, those that move pixels with every interpolation
    blended.csv        timm's AugMixAugment with blended chains, given weights

Expected pixels are stored as zlib.crc32 of the RGB bytes, rows from the top.
"""

import itertools
import random

import numpy as np
import PIL
import timm
import timm.data.auto_augment as aa
import torch
import torchvision
from make_augment import FILL, RESAMPLE, Signs, image_of
from make_fixtures import crc, write_rows
from torchvision.transforms import InterpolationMode
from torchvision.transforms import autoaugment as tv

SIZES = [(32, 32), (17, 23), (61, 40)]
MOVES = {"ShearX", "ShearY", "TranslateX", "TranslateY", "TranslateXRel", "TranslateYRel", "Rotate"}


def timm_rows(size, image):
    for name, level, negative in itertools.product(aa.LEVEL_TO_ARG, (3, 9.5), (0, 1)):
        for interpolation in RESAMPLE if name in MOVES else ("bicubic",):
            hparams = dict(
                translate_const=int(min(size) * 0.45), img_mean=FILL, interpolation=RESAMPLE[interpolation]
            )
            aa.random = Signs(negative)
            out = aa.AugmentOp(name, prob=1.0, magnitude=level, hparams=hparams)(image)
            aa.random = random
            yield ["timm", name, level, negative, interpolation, *size, crc(out)]


def torchvision_rows(size, image):
    width, height = size
    table = tv.RandAugment()._augmentation_space(31, (height, width))
    for name, (magnitudes, signed) in table.items():
        for i, negative in itertools.product((4, 30) if magnitudes.ndim else (0,), (0, 1) if signed else (0,)):
            magnitude = float(magnitudes[i].item()) if magnitudes.ndim else 0.0
            magnitude *= -1.0 if negative else 1.0
            for interpolation in RESAMPLE if name in MOVES else ("bilinear",):
                out = tv._apply_op(image, name, magnitude, InterpolationMode(interpolation), FILL)
                yield ["torchvision", name, i, negative, interpolation, *size, crc(out)]


def policy_pixels():
    rows = []
    for seed, size in enumerate(SIZES):
        image = image_of("smooth", 40 + seed, size)
        rows += [*timm_rows(size, image), *torchvision_rows(size, image)]
    header = "definition operation level negative interpolation width height crc32"
    write_rows("policy_pixels.csv", header.split(), rows)


# The chains' operations, one after the other, by name and magnitude.
STEPS = [("Posterize", 7), ("SolarizeAdd", 4), ("Color", 9), ("Invert", 0), ("Equalize", 0), ("Contrast", 8)]


def blended():
    rows = []
    generator = np.random.default_rng(6)
    shares = [0.0, 1e-6, 0.25, 0.5, 0.73, 0.999, 1.0]
    for seed, (width, depth, share) in enumerate(itertools.product((1, 2, 3, 5), (1, 2), shares)):
        weights = np.float32(generator.dirichlet([0.7] * width))
        size = SIZES[seed % 3]
        image = image_of("smooth", 60 + seed, size)
        aa.random = Signs(False)
        steps = itertools.cycle(aa.AugmentOp(n, prob=1.0, magnitude=m, hparams=dict(img_mean=FILL)) for n, m in STEPS)
        mix = aa.AugMixAugment([None], width=width, depth=depth, blended=True)
        original = np.random.choice
        np.random.choice = lambda ops, count, replace: [next(steps) for _ in range(count)]
        out = mix._apply_blended(image, weights, np.float32(share))
        np.random.choice, aa.random = original, random
        row = [60 + seed, *size, depth, repr(float(np.float32(share))), " ".join(repr(float(w)) for w in weights)]
        rows.append([*row, crc(out)])
    write_rows("blended.csv", "seed width height depth share weights crc32".split(), rows)


if __name__ == "__main__":
    assert PIL.__version__ == "12.0.0", PIL.__version__
    assert timm.__version__ == "1.0.31", timm.__version__
    assert torch.__version__.startswith("2.11"), torch.__version__
    assert torchvision.__version__.startswith("0.26"), torchvision.__version__
    policy_pixels()
    blended()
