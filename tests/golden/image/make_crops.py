"""Writes crops.csv or crops13.csv: squares that torchvision and timm cut.

Needs numpy, torchvision 0.26 and timm 1.0.31, and Pillow 12.0.0 for the one,
13.0.0 for the other; run in this folder. Expected
pixels are stored as zlib.crc32 of the bytes, rows from the top; size is a side,
or HEIGHTxWIDTH; the sources are make_fixtures.pattern(). Kinds of rows:

    eval        timm's transforms_imagenet_eval: a = crop_pct
    resize      torchvision's Resize(a) and CenterCrop(size)
    keep_ratio  timm's ResizeKeepRatio with zoom a and aspect b, then
                CenterCropOrPad with reflection (its "rkrc")
    placed      the same, RandomCropOrPad's crop_or_pad with left and top
    random      torchvision's resized_crop of left, top, a, b
"""

import math
import random
from unittest import mock

import numpy as np
import timm.data.transforms as timm_transforms
from make_fixtures import crc, for_this_pillow, pattern, write_rows
from PIL import Image
from timm.data.transforms_factory import transforms_imagenet_eval
from torchvision import transforms
from torchvision.transforms import InterpolationMode, functional

FILTERS = ["nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"]
MEAN = (0.485, 0.456, 0.406)
EXTREME = [(1, 1), (1, 700), (700, 1), (1, 5000), (5000, 1), (10000, 1), (1, 10000)]


def crc_of(image):
    if isinstance(image, Image.Image):
        return crc(image)
    return crc(Image.fromarray(np.ascontiguousarray(image.numpy().transpose(1, 2, 0))))


def sizes(rng, count):
    yield from EXTREME
    for i in range(count):
        size = rng.choice([9, 16, 33, 64])
        width, height = (max(1, int(size * rng.uniform(0.3, 4))) for _ in range(2))
        yield (width, width) if i % 8 == 0 else (width, height)


def evaluations(rng):
    for mode in ("center", "squash", "border"):
        for width, height in sizes(rng, 50):
            pct = rng.choice([0.5, 0.875, 0.9, 0.95, 0.96, 0.965, 1.0])
            size = rng.choice([9, 16, 33, 64])
            scale = math.floor(size / pct)
            if mode == "center" and scale * scale * max(width, height) > 12e6 * min(width, height):
                continue  # too much for this script
            if mode == "border" and min(width, height) * scale / max(width, height) <= 0.5:
                continue  # a side of zero pixels: an error in timm
            name = rng.choice(FILTERS)
            image = Image.fromarray(pattern(width + height, width, height))
            transform = transforms_imagenet_eval(
                size, crop_pct=pct, crop_mode=mode, interpolation=name, mean=MEAN, use_prefetcher=True
            )
            yield ["eval", width, height, size, name, mode, pct, 0, 0, 0, crc_of(transform(image))]


def explicit_sizes(rng):
    for width, height in sizes(rng, 50):
        size = rng.choice([9, 16, 33])
        to = rng.choice([size - 4, size - 1, size, size + 1, int(256 / 224 * size), 2 * size])
        if to * to * max(width, height) > 12e6 * min(width, height):
            continue
        name = rng.choice(FILTERS)
        image = Image.fromarray(pattern(width + height, width, height))
        chain = transforms.Compose([
            transforms.Resize(to, InterpolationMode(name)), transforms.CenterCrop(size)])
        yield ["resize", width, height, size, name, "center", to, 0, 0, 0, crc(chain(image))]


def keep_ratios(rng):
    for width, height in sizes(rng, 80):
        if max(width, height) > 700:
            continue
        size = rng.choice([9, 16, 33, 64])
        name = rng.choice(FILTERS)
        scale, aspect = rng.choice([1.0, 0.8, 0.93, 2.5]), rng.choice([1.0, 0.9, 1.11, 0.3, 3.0])
        image = Image.fromarray(pattern(width + height, width, height))
        # Ranges of one value, always drawn: log and exp are part of the law.
        resize = timm_transforms.ResizeKeepRatio(
            size, interpolation=name, random_scale_prob=1.0, random_scale_range=(scale, scale),
            random_scale_area=True, random_aspect_prob=1.0, random_aspect_range=(aspect, aspect),
        )
        with mock.patch.object(timm_transforms.math, "exp", lambda _: aspect):
            resized = resize(image)
        if rng.random() < 0.5:
            crop = timm_transforms.CenterCropOrPad(size, padding_mode="reflect")
            kind, left, top, out = "keep_ratio", 0, 0, crop(resized)
        else:
            deltas = [side - size for side in resized.size]
            left, top = (int(math.copysign(rng.randint(0, abs(d)), d)) for d in deltas)
            kind = "placed"
            out = timm_transforms.crop_or_pad(resized, top, left, size, size, padding_mode="reflect")
        zoom = 1.0 / math.sqrt(scale)
        yield [kind, width, height, size, name, "", repr(zoom), repr(aspect), left, top, crc(out)]


def random_crops(rng):
    for width, height in sizes(rng, 60):
        size = rng.choice([9, 16, 33, 64])
        w, h = rng.randint(1, width), rng.randint(1, height)
        left, top = rng.randint(0, width - w), rng.randint(0, height - h)
        name = rng.choice(FILTERS)
        image = Image.fromarray(pattern(width + height, width, height))
        out = functional.resized_crop(image, top, left, h, w, [size, size], InterpolationMode(name))
        yield ["random", width, height, size, name, "", w, h, left, top, crc(out)]


def oblongs(rng):
    """Results that are no square: timm's evaluation, keep ratio, random crops."""
    for i, (width, height) in enumerate(sizes(rng, 60)):
        if max(width, height) > 700:
            continue
        size = rng.choice([(9, 16), (16, 9), (33, 64), (40, 21), (17, 16)])
        name = rng.choice(FILTERS)
        image = Image.fromarray(pattern(width + height, width, height))
        text = f"{size[0]}x{size[1]}"
        if i % 3 == 0:
            rect = rng.randint(1, width), rng.randint(1, height)
            left, top = rng.randint(0, width - rect[0]), rng.randint(0, height - rect[1])
            out = functional.resized_crop(
                image, top, left, rect[1], rect[0], list(size), InterpolationMode(name))
            yield ["random", width, height, text, name, "", *rect, left, top, crc(out)]
            continue
        if i % 3 == 1:
            scale = rng.choice([1.0, 0.8, 0.93, 2.5])
            resize = timm_transforms.ResizeKeepRatio(
                size, interpolation=name, random_scale_prob=1.0,
                random_scale_range=(scale, scale), random_scale_area=True)
            crop = timm_transforms.CenterCropOrPad(size, padding_mode="reflect")
            zoom = repr(1.0 / math.sqrt(scale))
            yield ["keep_ratio", width, height, text, name, "", zoom, "1.0", 0, 0,
                   crc(crop(resize(image)))]
            continue
        mode = rng.choice(["center", "squash", "border"])
        pct = rng.choice([0.5, 0.875, 0.9, 0.95, 1.0])
        targets = [math.floor(side / pct) for side in size]
        ratios = [side / target for side, target in zip((height, width), targets)]
        ratio = max(ratios) if mode == "border" else min(ratios)
        if mode != "squash" and min(width, height) / ratio <= 0.5:
            continue  # a side of zero pixels: an error in timm
        if mode == "center" and (width / ratio) * (height / ratio) > 12e6:
            continue  # too much for this script
        transform = transforms_imagenet_eval(
            size, crop_pct=pct, crop_mode=mode, interpolation=name, mean=MEAN, use_prefetcher=True)
        yield ["eval", width, height, text, name, mode, pct, 0, 0, 0, crc_of(transform(image))]


if __name__ == "__main__":
    rng = random.Random(3)
    rows = [*evaluations(rng), *explicit_sizes(rng), *keep_ratios(rng), *random_crops(rng), *oblongs(rng)]
    header = "kind width height size filter mode a b left top crc32"
    write_rows(for_this_pillow("crops"), header.split(), rows)
