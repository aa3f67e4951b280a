#!/usr/bin/env python3
"""Writes mixup.json beside this file.

Needs timm 1.0.31 and torch 2.11:  python3 make_mixup.py

timm's own Mixup, RandomErasing, SoftTargetCrossEntropy and BinaryCrossEntropy
run here. What they draw is given to them or recorded, so that the same draws
must give the same boxes, images, targets and losses elsewhere.
"""

import json
import math
import pathlib
import random
import zlib

import numpy as np
import torch
from timm.data import mixup as timm_mixup
from timm.data.random_erasing import RandomErasing
from timm.loss import BinaryCrossEntropy, SoftTargetCrossEntropy

HERE = pathlib.Path(__file__).resolve().parent
CLASSES = 5
SHAPE = (4, 2, 7, 6)


# Mixed images of these sizes are kept as zlib.crc32 of their fp32 numbers.
LARGER = [(4, 3, 32, 32), (6, 1, 33, 31), (2, 3, 45, 64)]


def images(shape=SHAPE):
    """Numbers without a pattern; exact in single precision."""
    count = math.prod(shape)
    values = torch.arange(count).mul(37).remainder(101).float() / 64 - 0.75
    return values.view(shape)


def labels(count=4):
    return torch.tensor([3, 0, 3, 1, 4, 2])[:count]


class Integers:
    """np.random.randint that returns given numbers within its bounds."""

    def __init__(self, values):
        self.values = list(values)

    def __call__(self, low, high, size=None):
        value = self.values.pop(0)
        assert low <= value < high and size is None
        return value


def mix_case(mode, smoothing, draws, integers, minmax=None, shape=SHAPE):
    """draws: one (lam, cut) for each batch, pair or element."""
    mixup = timm_mixup.Mixup(
        mixup_alpha=1.0,
        cutmix_alpha=1.0,
        cutmix_minmax=minmax,
        mode=mode,
        label_smoothing=smoothing,
        num_classes=CLASSES,
    )
    lams = np.array([lam for lam, _ in draws], dtype=np.float32)
    cuts = np.array([cut for _, cut in draws])
    mixup._params_per_batch = lambda: draws[0]
    mixup._params_per_elem = lambda size: (lams[:size].copy(), cuts[:size])
    original = np.random.randint
    np.random.randint = Integers(integers)
    try:
        mixed, targets = mixup(images(shape), labels(shape[0]))
        assert not np.random.randint.values
    finally:
        np.random.randint = original
    if mode != "batch":
        draws = [(float(lam), cut) for lam, (_, cut) in zip(lams, draws)]
    pixels = mixed.contiguous().numpy()
    return {
        "shape": shape,
        "mode": mode,
        "smoothing": smoothing,
        "draws": [{"lam": lam, "cut": cut} for lam, cut in draws],
        # Centres (y, x) of the boxes, or with minmax their (h, w, y, x).
        "integers": integers,
        "minmax": minmax is not None,
        **(
            {"images": mixed.flatten().tolist()}
            if shape == SHAPE
            else {"crc32": zlib.crc32(pixels.tobytes())}
        ),
        "targets": targets.flatten().tolist(),
    }


def larger_cases():
    """Every mode at sizes of data sets, with boxes inside and over the edges."""
    generator = random.Random(8)
    for shape in LARGER:
        count, _, height, width = shape
        for mode, draws in [("batch", 1), ("pair", count // 2), ("elem", count)]:
            for smoothing in (0.0, 0.1):
                chosen, integers = [], []
                for i in range(draws):
                    cut = (i + (smoothing > 0)) % 2 == 0
                    chosen.append((generator.uniform(0.05, 0.95), cut))
                    if cut:
                        y = generator.choice([0, height - 1, generator.randrange(height)])
                        integers += [y, generator.randrange(width)]
                yield mix_case(mode, smoothing, chosen, integers, shape=shape)


def boxes():
    """[height, width, lam, centre y, centre x, y from, to, x from, to, lam]"""
    generator = random.Random(5)
    rows = []
    for height, width in [(224, 224), (32, 48), (7, 6), (1, 1), (225, 3)]:
        for lam in [0.0, 1e-9, 0.5, 0.9999, 1.0] + [
            generator.random() for _ in range(12)
        ]:
            y, x = generator.randrange(height), generator.randrange(width)
            original = np.random.randint
            np.random.randint = Integers([y, x])
            box, corrected = timm_mixup.cutmix_bbox_and_lam(
                (3, height, width), lam
            )
            np.random.randint = original
            row = [height, width, lam, y, x, *map(int, box), float(corrected)]
            rows.append(row)
    return rows


def erasings():
    """[height, width, area, count, aspect, box's height, width; 0: no fit]"""
    rows = []
    for height, width, count in [(224, 224, 1), (32, 48, 3), (9, 5, 2)]:
        draws = []
        record = {
            "uniform": random.uniform,
            "randint": random.randint,
        }
        random.seed(height)

        def uniform(low, high):
            draws.append(["u", record["uniform"](low, high)])
            return draws[-1][1]

        def randint(low, high):
            draws.append(["i", high])
            return record["randint"](low, high)

        random.uniform, random.randint = uniform, randint
        erase = RandomErasing(1.0, max_area=0.9, min_count=count, device="cpu")
        for _ in range(12):
            erase(torch.ones(3, height, width))
        random.uniform, random.randint = record.values()
        while draws:
            area, aspect = draws.pop(0)[1], math.exp(draws.pop(0)[1])
            size = [0, 0]
            if draws and draws[0][0] == "i":
                size = [height - draws.pop(0)[1], width - draws.pop(0)[1]]
            rows.append([height, width, area, count, aspect, *size])
    return rows


def losses(targets):
    outputs = images().flatten()[: 4 * CLASSES].view(4, CLASSES) * 3
    soft = torch.tensor(targets).view(4, CLASSES)
    hard = labels()
    return {
        "soft": SoftTargetCrossEntropy()(outputs, soft).item(),
        "binary_soft": BinaryCrossEntropy(smoothing=0.0)(outputs, soft).item(),
        "binary_soft_threshold": BinaryCrossEntropy(
            smoothing=0.0, target_threshold=0.2
        )(outputs, soft).item(),
        "binary_hard": BinaryCrossEntropy(smoothing=0.1)(outputs, hard).item(),
        "binary_hard_sum": BinaryCrossEntropy(smoothing=0.1, sum_classes=True)(
            outputs, hard
        ).item(),
    }


def main():
    mixup, cut, none = (0.3, False), (0.7, True), (1.0, False)
    cases = [
        mix_case("batch", 0.1, [mixup], []),
        mix_case("batch", 0.0, [cut], [6, 2]),
        mix_case("batch", 0.1, [none], []),
        mix_case("batch", 0.1, [cut], [3, 2, 1, 4], minmax=(0.2, 0.8)),
        mix_case("pair", 0.1, [mixup, cut], [0, 3]),
        mix_case("pair", 0.1, [cut, none], [4, 4]),
        mix_case("elem", 0.1, [cut, mixup, none, (0.45, True)], [1, 1, 5, 0]),
        mix_case("elem", 0.0, [(0.9, False), mixup, mixup, mixup], []),
        *larger_cases(),
    ]
    text = json.dumps(
        {
            "cases": cases,
            "boxes": boxes(),
            "erasings": erasings(),
            "losses": losses(cases[0]["targets"]),
        }
    )
    (HERE / "mixup.json").write_text(text.replace('}, {"', '},\n{"') + "\n")


if __name__ == "__main__":
    main()
