#!/usr/bin/env python3
"""Writes resnetv2.safetensors and resnetv2.csv: see ../family_cases.py."""

import pathlib
import re
import sys
from functools import partial

from timm.layers import BatchNormAct2d, GroupNormAct, StdConv2d, create_conv2d
from timm.models.resnetv2 import ResNetV2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write

SMALL = dict(stem_chs=16, drop_path_rate=DROP_PATH, conv_layer=create_conv2d,
             norm_layer=BatchNormAct2d)


def case(name, layers, channels, size, **arguments):
    return Case(name, partial(ResNetV2, layers, channels, **dict(SMALL, **arguments)),
                size)


write("resnetv2", [
    case("basic", (1, 2, 1, 1), (16, 8, 16, 24), 45, basic=True, bottle_ratio=1.0),
    # Odd sides, whose last pixels are means of fewer.
    case("d", (1, 1, 1, 1), (8, 16, 48, 64), 70, stem_type="deep", avg_down=True),
    case("tiered", (1, 1, 2, 1), (16, 32, 32, 64), (66, 37), stem_type="tiered",
         avg_down=True, norm_layer=partial(GroupNormAct, num_groups=2)),
    case("bit", (1, 2, 1, 1), (16, 32, 32, 64), 45, stem_type="fixed",
         conv_layer=partial(StdConv2d, eps=1e-8),
         norm_layer=partial(GroupNormAct, num_groups=4)),
    # Left out: EvoNorm, filter response normalisation.
], names_of("resnetv2", but=[re.compile("evos|frn")]))
