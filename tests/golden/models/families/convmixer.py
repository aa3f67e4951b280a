#!/usr/bin/env python3
"""Writes convmixer.safetensors and convmixer.csv: see ../family_cases.py."""

import pathlib
import sys

from timm.models.convmixer import ConvMixer
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import Case, names_of, write

write("convmixer", [
    # Kernels larger than the image's 6x4 patches.
    Case("convmixer", ConvMixer, (44, 30), dim=16, depth=2, kernel_size=9,
         patch_size=7),
    Case("convmixer_relu", ConvMixer, 40, dim=12, depth=1, kernel_size=7,
         patch_size=7, act_layer=nn.ReLU),
], names_of("convmixer_"))
