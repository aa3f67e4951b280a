"""Writes augment.csv, levels.csv and policies.csv from the originals.

Needs Pillow 12.0.0, numpy, torch 2.11, torchvision 0.26 and timm 1.0.31. Run in
this folder, without vector instructions, whose torch.linspace differs from the
plain one in last bits:

    ATEN_CPU_CAPABILITY=default python make_augment.py

    augment.csv   operations on generated pixels at fixed arguments
    levels.csv    what timm and torchvision make of magnitudes, and the pixels
                  that their operations give with them
    policies.csv  the tables of AutoAugment

Expected pixels are stored as zlib.crc32 of the RGB bytes, rows from the top.
"""

import itertools
import random

import PIL
import timm
import timm.data.auto_augment as aa
import torch
import torchvision
from make_fixtures import crc, pattern, smooth, write_rows
from PIL import Image, ImageEnhance, ImageFilter, ImageOps
from torchvision.transforms import InterpolationMode
from torchvision.transforms import autoaugment as tv
from torchvision.transforms import functional as F

SIZES = [(1, 1), (7, 5), (33, 17), (64, 64)]
LARGE = (224, 224)
FILL = (124, 116, 104)
RESAMPLE = {
    "nearest": Image.Resampling.NEAREST,
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
}


def image_of(kind, seed, size):
    if kind == "smooth":
        return smooth(seed, *size)
    pixels = pattern(seed, *size)
    return Image.fromarray(pixels // 3 + 40 if kind == "dim" else pixels)


def inputs(large=True):
    """Noise, noise of few values, and a picture with edges and gradients."""
    for seed, (size, kind) in enumerate(itertools.product(SIZES, ("noise", "dim", "smooth"))):
        yield kind, seed, size
    if large:
        yield "smooth", 20, LARGE


# --- operations -----------------------------------------------------------------

FACTORS = [0.0, 0.1, 0.3, 0.7001, 1.0, 1.37, 1.9, 3.5]


def plain_operations():
    for factor in FACTORS:
        yield "brightness", factor, lambda i, f: ImageEnhance.Brightness(i).enhance(f)
        yield "contrast", factor, lambda i, f: ImageEnhance.Contrast(i).enhance(f)
        yield "saturation", factor, lambda i, f: ImageEnhance.Color(i).enhance(f)
        yield "sharpness", factor, lambda i, f: ImageEnhance.Sharpness(i).enhance(f)
    for turns in [-0.5, -0.27, -0.1, -0.001, 0.0, 0.05, 0.2, 0.4, 0.5]:
        yield "hue", turns, F.adjust_hue
    for radius in [0.0, 0.1, 0.5, 0.9, 1.3, 1.77, 2.0, 5.5, 12.0]:
        yield "gaussian_blur", radius, lambda i, r: i.filter(ImageFilter.GaussianBlur(r))
    for threshold in [0.0, 1.0, 76.5, 128.0, 229.5, 255.0, 256.0]:
        yield "solarize", threshold, ImageOps.solarize
    for amount in [0, 1, 44, 110, 128]:
        yield "solarize_add", amount, aa.solarize_add
    for bits in range(9):
        yield "posterize", bits, ImageOps.posterize
    yield "invert", 0, lambda i, _: ImageOps.invert(i)
    yield "autocontrast", 0, lambda i, _: ImageOps.autocontrast(i)
    yield "equalize", 0, lambda i, _: ImageOps.equalize(i)
    yield "grayscale", 0, lambda i, _: F.to_grayscale(i, 3)
    yield "flip_horizontal", 0, lambda i, _: F.hflip(i)
    yield "flip_vertical", 0, lambda i, _: F.vflip(i)


def moves():
    for factor in [-0.99, -0.3, 0.0, 0.013, 0.3]:
        yield "shear_x", factor, aa.shear_x
        yield "shear_y", factor, aa.shear_y
    for pixels in [-100.0, -14.4, -1.0, 0.0, 0.5, 3.3, 27.0]:
        yield "translate_x", pixels, aa.translate_x_abs
        yield "translate_y", pixels, aa.translate_y_abs
    for degrees in [-135.0, -90.0, -30.0, -1e-20, 0.0, 3.7, 29.9, 45.0, 90.0, 180.0, 270.0, 359.0]:
        yield "rotate", degrees, aa.rotate


def make_operations():
    rows = []
    for name, argument, function in plain_operations():
        for kind, seed, size in inputs():
            out = function(image_of(kind, seed, size), argument)
            rows.append([name, argument, "", kind, seed, *size, crc(out)])
    for name, argument, function in moves():
        for filter_name, (kind, seed, size) in itertools.product(RESAMPLE, inputs(large=False)):
            if kind == "dim" or (kind == "noise" and size == (64, 64)):
                continue
            out = function(
                image_of(kind, seed, size), argument, resample=RESAMPLE[filter_name], fillcolor=FILL
            )
            rows.append([name, argument, filter_name, kind, seed, *size, crc(out)])
    for filter_name, (name, argument, function) in itertools.product(
        RESAMPLE, [("rotate", -11.3, aa.rotate), ("shear_x", 0.21, aa.shear_x), ("translate_y", 9.7, aa.translate_y_abs)]
    ):
        out = function(image_of("smooth", 20, LARGE), argument, resample=RESAMPLE[filter_name], fillcolor=FILL)
        rows.append([name, argument, filter_name, "smooth", 20, *LARGE, crc(out)])
    header = "operation argument interpolation kind seed width height crc32"
    write_rows("augment.csv", header.split(), rows)


# --- magnitudes -----------------------------------------------------------------

LEVELS = [0, 1, 2, 2.5, 3, 4, 5, 6, 7, 7.75, 8, 9, 9.99, 10]
LEVEL_IMAGE = ("smooth", 30, (48, 40))


class Signs:
    """In the place of timm's random numbers: all below or above one half."""

    def __init__(self, negative):
        self.value = 0.75 if negative else 0.25

    def random(self):
        return self.value

    def uniform(self, low, high):
        return low + (high - low) * self.value


def timm_levels():
    image = image_of(*LEVEL_IMAGE)
    hparams = dict(translate_const=int(40 * 0.45), img_mean=FILL, interpolation=RESAMPLE["bicubic"])
    for name, level, negative in itertools.product(aa.LEVEL_TO_ARG, LEVELS, (0, 1)):
        aa.random = Signs(negative)
        to_argument = aa.LEVEL_TO_ARG[name]
        argument = to_argument(level, hparams)[0] if to_argument else 0
        out = aa.AugmentOp(name, prob=1.0, magnitude=level, hparams=hparams)(image)
        aa.random = random
        if negative and argument == 0:
            argument = 0
        yield ["timm", name, 10, level, negative, repr(float(argument)), crc(out)]


def torchvision_levels():
    image = image_of(*LEVEL_IMAGE)
    width, height = image.size
    spaces = {
        "randaugment": (tv.RandAugment()._augmentation_space, (31, 11), True),
        "autoaugment": (tv.AutoAugment()._augmentation_space, (10,), True),
        "trivialaugment": (tv.TrivialAugmentWide()._augmentation_space, (31,), False),
        "augmix": (tv.AugMix()._augmentation_space, (10,), True),
    }
    for space, (function, all_bins, sized) in spaces.items():
        for bins in all_bins:
            table = function(bins, (height, width)) if sized else function(bins)
            for name, (magnitudes, signed) in table.items():
                for i, negative in itertools.product(range(bins if magnitudes.ndim else 1), (0, 1)):
                    if negative and not signed:
                        continue
                    magnitude = float(magnitudes[i].item()) if magnitudes.ndim else 0.0
                    magnitude *= -1.0 if negative else 1.0
                    # Pixels at a few magnitudes: most of the operations' arguments do not differ.
                    out = ""
                    if i in (0, 3, bins - 1):
                        out = crc(tv._apply_op(image, name, magnitude, InterpolationMode.BILINEAR, FILL))
                    yield [f"torchvision:{space}", name, bins, i, negative, repr(magnitude), out]


def make_levels():
    header = "definition operation bins level negative argument crc32"
    write_rows("levels.csv", header.split(), [*timm_levels(), *torchvision_levels()])


def make_policies():
    rows = []
    for name in ("v0", "v0r", "original", "originalr", "3a"):
        for i, steps in enumerate(aa.auto_augment_policy(name)):
            rows += [[name, i, step.name, step.prob, step.magnitude] for step in steps]
    for policy in tv.AutoAugmentPolicy:
        for i, steps in enumerate(tv.AutoAugment(policy).policies):
            rows += [[f"torchvision:{policy.value}", i, name, p, 0 if m is None else m] for name, p, m in steps]
    sets = {
        "rand": aa._RAND_TRANSFORMS,
        "rand-inc1": aa._RAND_INCREASING_TRANSFORMS,
        "rand-t3a": aa._RAND_3A,
        "rand-t3aw": aa._RAND_WEIGHTED_3A,
        "rand-tweights": aa._RAND_WEIGHTED_0,
        "augmix": aa._AUGMIX_TRANSFORMS,
    }
    for name, operations in sets.items():
        for operation in operations:
            weight = operations[operation] if isinstance(operations, dict) else 1
            rows.append([name, 0, operation, weight, 0])
    spaces = {
        "torchvision:randaugment": tv.RandAugment()._augmentation_space(31, (1, 1)),
        "torchvision:trivialaugment": tv.TrivialAugmentWide()._augmentation_space(31),
        "torchvision:augmix": tv.AugMix()._augmentation_space(10, (1, 1)),
    }
    for name, operations in spaces.items():
        rows += [[name, 0, operation, 1, 0] for operation in operations]
    write_rows("policies.csv", ["policy", "choice", "operation", "probability", "magnitude"], rows)


if __name__ == "__main__":
    assert PIL.__version__ == "12.0.0", PIL.__version__
    assert timm.__version__ == "1.0.31", timm.__version__
    assert torch.__version__.startswith("2.11"), torch.__version__
    assert torchvision.__version__.startswith("0.26"), torchvision.__version__
    make_operations()
    make_levels()
    make_policies()
