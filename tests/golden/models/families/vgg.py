#!/usr/bin/env python3
"""Writes vgg.safetensors and vgg.csv: see ../family_cases.py."""

import pathlib
import sys
from functools import partial

import torch
from timm.models.vgg import VGG

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import Case, names_of, write

WIDTHS = [8, "M", 16, 16, "M", 24, "M"]
network = partial(VGG, WIDTHS, mlp_ratio=1 / 512)

write("vgg", [
    # Images before the fully connected layers: smaller than 7 pixels, larger.
    Case("plain", network, (48, 60)),
    Case("norm", partial(network, norm_layer=torch.nn.BatchNorm2d), (72, 64)),
], names_of("vgg"))
